Tasks.describe("task162", "does 162")
