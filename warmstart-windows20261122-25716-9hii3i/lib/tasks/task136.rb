Tasks.describe("task136", "does 136")
