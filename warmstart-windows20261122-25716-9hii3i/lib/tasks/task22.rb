Tasks.describe("task22", "does 22")
