Tasks.describe("task125", "does 125")
