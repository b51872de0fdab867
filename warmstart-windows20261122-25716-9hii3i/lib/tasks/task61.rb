Tasks.describe("task61", "does 61")
