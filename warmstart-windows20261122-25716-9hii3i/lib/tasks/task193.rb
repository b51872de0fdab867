Tasks.describe("task193", "does 193")
