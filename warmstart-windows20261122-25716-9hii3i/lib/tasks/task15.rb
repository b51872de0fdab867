Tasks.describe("task15", "does 15")
