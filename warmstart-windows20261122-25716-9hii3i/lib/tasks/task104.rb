Tasks.describe("task104", "does 104")
