Tasks.describe("task176", "does 176")
