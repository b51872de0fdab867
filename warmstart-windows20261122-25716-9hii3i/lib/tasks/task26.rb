Tasks.describe("task26", "does 26")
