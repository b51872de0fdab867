Tasks.describe("task122", "does 122")
