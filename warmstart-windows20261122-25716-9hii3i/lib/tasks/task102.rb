Tasks.describe("task102", "does 102")
