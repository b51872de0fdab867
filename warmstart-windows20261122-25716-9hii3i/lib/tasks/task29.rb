Tasks.describe("task29", "does 29")
