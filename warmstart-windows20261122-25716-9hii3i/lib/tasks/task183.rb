Tasks.describe("task183", "does 183")
