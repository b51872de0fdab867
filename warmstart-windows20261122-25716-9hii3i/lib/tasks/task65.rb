Tasks.describe("task65", "does 65")
