Tasks.describe("task38", "does 38")
