Tasks.describe("task130", "does 130")
