Tasks.describe("task31", "does 31")
