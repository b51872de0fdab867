Tasks.describe("task167", "does 167")
