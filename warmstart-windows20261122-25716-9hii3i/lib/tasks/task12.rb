Tasks.describe("task12", "does 12")
