Tasks.describe("task70", "does 70")
