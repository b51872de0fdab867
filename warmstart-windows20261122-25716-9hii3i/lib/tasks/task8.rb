Tasks.describe("task8", "does 8")
