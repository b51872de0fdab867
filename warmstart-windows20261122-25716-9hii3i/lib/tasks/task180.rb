Tasks.describe("task180", "does 180")
