Tasks.describe("task30", "does 30")
