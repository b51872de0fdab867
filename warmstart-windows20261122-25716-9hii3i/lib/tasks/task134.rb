Tasks.describe("task134", "does 134")
