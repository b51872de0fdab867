Tasks.describe("task72", "does 72")
