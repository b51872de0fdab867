Tasks.describe("task85", "does 85")
