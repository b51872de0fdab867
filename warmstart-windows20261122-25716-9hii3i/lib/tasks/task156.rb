Tasks.describe("task156", "does 156")
