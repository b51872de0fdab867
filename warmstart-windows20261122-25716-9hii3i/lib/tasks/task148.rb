Tasks.describe("task148", "does 148")
