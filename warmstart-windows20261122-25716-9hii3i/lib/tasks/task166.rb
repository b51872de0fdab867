Tasks.describe("task166", "does 166")
