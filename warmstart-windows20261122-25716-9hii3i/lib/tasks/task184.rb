Tasks.describe("task184", "does 184")
