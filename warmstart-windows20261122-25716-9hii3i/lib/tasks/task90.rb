Tasks.describe("task90", "does 90")
