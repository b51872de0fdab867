Tasks.describe("task198", "does 198")
