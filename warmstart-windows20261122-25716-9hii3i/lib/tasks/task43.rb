Tasks.describe("task43", "does 43")
