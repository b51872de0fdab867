Tasks.describe("task191", "does 191")
