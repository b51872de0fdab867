Tasks.describe("task71", "does 71")
