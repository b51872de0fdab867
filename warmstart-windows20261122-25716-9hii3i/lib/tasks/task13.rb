Tasks.describe("task13", "does 13")
