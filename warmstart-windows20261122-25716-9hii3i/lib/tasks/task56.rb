Tasks.describe("task56", "does 56")
