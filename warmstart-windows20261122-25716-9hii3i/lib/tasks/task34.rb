Tasks.describe("task34", "does 34")
