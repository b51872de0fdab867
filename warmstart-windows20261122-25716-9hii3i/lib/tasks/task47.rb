Tasks.describe("task47", "does 47")
