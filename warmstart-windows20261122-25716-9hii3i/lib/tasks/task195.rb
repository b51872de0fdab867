Tasks.describe("task195", "does 195")
