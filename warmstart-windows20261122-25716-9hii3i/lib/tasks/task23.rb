Tasks.describe("task23", "does 23")
