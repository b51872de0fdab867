Tasks.describe("task146", "does 146")
