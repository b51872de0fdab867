Tasks.describe("task123", "does 123")
