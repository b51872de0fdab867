Tasks.describe("task165", "does 165")
