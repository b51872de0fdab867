Tasks.describe("task140", "does 140")
