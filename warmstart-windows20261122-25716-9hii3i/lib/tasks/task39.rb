Tasks.describe("task39", "does 39")
