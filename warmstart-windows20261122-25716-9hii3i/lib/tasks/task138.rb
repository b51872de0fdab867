Tasks.describe("task138", "does 138")
