Tasks.describe("task120", "does 120")
