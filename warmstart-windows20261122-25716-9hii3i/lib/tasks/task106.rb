Tasks.describe("task106", "does 106")
