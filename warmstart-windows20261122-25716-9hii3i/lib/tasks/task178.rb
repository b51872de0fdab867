Tasks.describe("task178", "does 178")
