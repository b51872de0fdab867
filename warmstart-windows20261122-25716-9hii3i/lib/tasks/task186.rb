Tasks.describe("task186", "does 186")
