Tasks.describe("task48", "does 48")
