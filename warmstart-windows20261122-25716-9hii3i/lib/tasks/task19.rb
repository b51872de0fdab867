Tasks.describe("task19", "does 19")
