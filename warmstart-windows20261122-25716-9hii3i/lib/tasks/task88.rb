Tasks.describe("task88", "does 88")
