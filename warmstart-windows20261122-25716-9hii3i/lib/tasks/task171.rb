Tasks.describe("task171", "does 171")
