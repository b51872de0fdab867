Tasks.describe("task0", "does 0")
