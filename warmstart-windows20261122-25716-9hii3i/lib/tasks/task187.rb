Tasks.describe("task187", "does 187")
