Tasks.describe("task9", "does 9")
