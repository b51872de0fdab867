Tasks.describe("task110", "does 110")
