Tasks.describe("task151", "does 151")
