Tasks.describe("task74", "does 74")
