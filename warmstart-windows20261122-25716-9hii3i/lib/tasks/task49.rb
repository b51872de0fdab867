Tasks.describe("task49", "does 49")
