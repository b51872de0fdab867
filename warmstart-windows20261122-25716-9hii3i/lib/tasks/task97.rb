Tasks.describe("task97", "does 97")
