Tasks.describe("task24", "does 24")
