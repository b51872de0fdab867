Tasks.describe("task18", "does 18")
