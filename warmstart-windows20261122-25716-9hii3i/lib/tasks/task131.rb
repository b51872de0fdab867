Tasks.describe("task131", "does 131")
