Tasks.describe("task124", "does 124")
