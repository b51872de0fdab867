Tasks.describe("task194", "does 194")
