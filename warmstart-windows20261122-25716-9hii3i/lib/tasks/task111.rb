Tasks.describe("task111", "does 111")
