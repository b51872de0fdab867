Tasks.describe("task53", "does 53")
