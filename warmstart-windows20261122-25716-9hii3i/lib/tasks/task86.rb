Tasks.describe("task86", "does 86")
