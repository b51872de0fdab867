Tasks.describe("task28", "does 28")
