Tasks.describe("task137", "does 137")
