Tasks.describe("task82", "does 82")
