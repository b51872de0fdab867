Tasks.describe("task172", "does 172")
