Tasks.describe("task196", "does 196")
