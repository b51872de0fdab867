Tasks.describe("task89", "does 89")
