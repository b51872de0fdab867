Tasks.describe("task182", "does 182")
