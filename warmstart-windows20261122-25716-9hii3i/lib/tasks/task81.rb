Tasks.describe("task81", "does 81")
