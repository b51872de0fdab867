Tasks.describe("task83", "does 83")
