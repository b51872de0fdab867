Tasks.describe("task175", "does 175")
