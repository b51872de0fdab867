Tasks.describe("task77", "does 77")
