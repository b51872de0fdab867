Tasks.describe("task92", "does 92")
