Tasks.describe("task154", "does 154")
