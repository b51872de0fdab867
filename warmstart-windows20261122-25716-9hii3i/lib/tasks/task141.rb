Tasks.describe("task141", "does 141")
