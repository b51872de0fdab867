Tasks.describe("task46", "does 46")
