Tasks.describe("task37", "does 37")
