Tasks.describe("task67", "does 67")
