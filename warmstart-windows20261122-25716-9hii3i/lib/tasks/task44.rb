Tasks.describe("task44", "does 44")
