Tasks.describe("task36", "does 36")
