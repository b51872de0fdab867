Tasks.describe("task75", "does 75")
