Tasks.describe("task64", "does 64")
