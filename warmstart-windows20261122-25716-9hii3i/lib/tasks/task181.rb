Tasks.describe("task181", "does 181")
