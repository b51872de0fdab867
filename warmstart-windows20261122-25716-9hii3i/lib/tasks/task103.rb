Tasks.describe("task103", "does 103")
