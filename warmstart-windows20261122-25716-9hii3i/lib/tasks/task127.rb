Tasks.describe("task127", "does 127")
