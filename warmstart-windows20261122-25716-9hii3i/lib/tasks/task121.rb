Tasks.describe("task121", "does 121")
