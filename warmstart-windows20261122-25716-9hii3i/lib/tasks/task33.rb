Tasks.describe("task33", "does 33")
