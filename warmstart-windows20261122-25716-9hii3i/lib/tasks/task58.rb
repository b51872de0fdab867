Tasks.describe("task58", "does 58")
