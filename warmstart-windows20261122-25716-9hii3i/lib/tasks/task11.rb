Tasks.describe("task11", "does 11")
