Tasks.describe("task117", "does 117")
