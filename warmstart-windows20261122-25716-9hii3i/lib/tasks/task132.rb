Tasks.describe("task132", "does 132")
