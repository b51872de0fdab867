Tasks.describe("task5", "does 5")
