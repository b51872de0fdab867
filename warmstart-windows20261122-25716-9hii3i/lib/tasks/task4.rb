Tasks.describe("task4", "does 4")
