Tasks.describe("task20", "does 20")
