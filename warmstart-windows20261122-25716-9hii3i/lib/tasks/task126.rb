Tasks.describe("task126", "does 126")
