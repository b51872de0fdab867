Tasks.describe("task17", "does 17")
