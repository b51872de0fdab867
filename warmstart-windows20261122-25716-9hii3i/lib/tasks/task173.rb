Tasks.describe("task173", "does 173")
