Tasks.describe("task113", "does 113")
