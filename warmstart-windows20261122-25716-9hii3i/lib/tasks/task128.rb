Tasks.describe("task128", "does 128")
