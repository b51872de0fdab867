Tasks.describe("task54", "does 54")
