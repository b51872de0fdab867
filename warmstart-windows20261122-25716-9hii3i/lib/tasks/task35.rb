Tasks.describe("task35", "does 35")
