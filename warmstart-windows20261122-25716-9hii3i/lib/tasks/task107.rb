Tasks.describe("task107", "does 107")
