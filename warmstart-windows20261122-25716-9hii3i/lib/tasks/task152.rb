Tasks.describe("task152", "does 152")
