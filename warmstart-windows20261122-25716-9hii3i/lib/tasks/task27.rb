Tasks.describe("task27", "does 27")
