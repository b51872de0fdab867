Tasks.describe("task105", "does 105")
