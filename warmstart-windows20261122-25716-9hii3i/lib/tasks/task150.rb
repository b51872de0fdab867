Tasks.describe("task150", "does 150")
