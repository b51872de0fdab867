Tasks.describe("task96", "does 96")
