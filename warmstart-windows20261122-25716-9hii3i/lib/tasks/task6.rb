Tasks.describe("task6", "does 6")
