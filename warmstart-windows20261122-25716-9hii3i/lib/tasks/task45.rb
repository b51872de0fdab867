Tasks.describe("task45", "does 45")
