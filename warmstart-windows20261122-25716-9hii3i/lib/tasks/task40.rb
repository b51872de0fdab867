Tasks.describe("task40", "does 40")
