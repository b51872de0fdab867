Tasks.describe("task16", "does 16")
