Tasks.describe("task59", "does 59")
