Tasks.describe("task100", "does 100")
