Tasks.describe("task188", "does 188")
