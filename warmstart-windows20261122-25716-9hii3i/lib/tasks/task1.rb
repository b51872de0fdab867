Tasks.describe("task1", "does 1")
