Tasks.describe("task14", "does 14")
