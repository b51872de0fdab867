Tasks.describe("task177", "does 177")
