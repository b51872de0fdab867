Tasks.describe("task160", "does 160")
