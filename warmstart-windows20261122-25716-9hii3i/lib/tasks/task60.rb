Tasks.describe("task60", "does 60")
