Tasks.describe("task95", "does 95")
