Tasks.describe("task101", "does 101")
