Tasks.describe("task2", "does 2")
