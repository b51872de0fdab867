Tasks.describe("task79", "does 79")
