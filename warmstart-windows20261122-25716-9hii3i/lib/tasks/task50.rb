Tasks.describe("task50", "does 50")
