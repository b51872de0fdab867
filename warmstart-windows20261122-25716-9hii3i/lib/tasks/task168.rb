Tasks.describe("task168", "does 168")
