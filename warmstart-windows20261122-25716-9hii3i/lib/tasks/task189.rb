Tasks.describe("task189", "does 189")
