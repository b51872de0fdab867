Tasks.describe("task118", "does 118")
