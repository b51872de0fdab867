Tasks.describe("task147", "does 147")
