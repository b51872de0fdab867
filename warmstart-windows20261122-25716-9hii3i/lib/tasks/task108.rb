Tasks.describe("task108", "does 108")
