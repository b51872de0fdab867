Tasks.describe("task119", "does 119")
