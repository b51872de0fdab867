Tasks.describe("task32", "does 32")
