Tasks.describe("task55", "does 55")
