Tasks.describe("task91", "does 91")
