Tasks.describe("task157", "does 157")
