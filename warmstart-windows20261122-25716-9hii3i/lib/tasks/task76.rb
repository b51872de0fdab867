Tasks.describe("task76", "does 76")
