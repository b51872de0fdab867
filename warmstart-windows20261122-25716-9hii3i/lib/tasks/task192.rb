Tasks.describe("task192", "does 192")
