Tasks.describe("task84", "does 84")
