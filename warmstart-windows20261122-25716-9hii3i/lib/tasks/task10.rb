Tasks.describe("task10", "does 10")
