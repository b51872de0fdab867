Tasks.describe("task3", "does 3")
