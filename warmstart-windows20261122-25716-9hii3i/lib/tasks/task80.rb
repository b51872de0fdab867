Tasks.describe("task80", "does 80")
