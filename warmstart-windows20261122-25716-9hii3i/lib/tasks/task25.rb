Tasks.describe("task25", "does 25")
