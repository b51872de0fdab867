Tasks.describe("task164", "does 164")
