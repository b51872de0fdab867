Tasks.describe("task114", "does 114")
