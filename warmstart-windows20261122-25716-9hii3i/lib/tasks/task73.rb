Tasks.describe("task73", "does 73")
