Tasks.describe("task144", "does 144")
