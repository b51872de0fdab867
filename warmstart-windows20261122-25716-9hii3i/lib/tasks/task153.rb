Tasks.describe("task153", "does 153")
