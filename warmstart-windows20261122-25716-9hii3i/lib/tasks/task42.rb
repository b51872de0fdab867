Tasks.describe("task42", "does 42")
