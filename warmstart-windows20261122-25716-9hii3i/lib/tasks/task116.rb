Tasks.describe("task116", "does 116")
