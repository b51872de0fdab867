Tasks.describe("task109", "does 109")
