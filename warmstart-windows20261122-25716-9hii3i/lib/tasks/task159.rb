Tasks.describe("task159", "does 159")
