Tasks.describe("task94", "does 94")
