Tasks.describe("task185", "does 185")
