Tasks.describe("task115", "does 115")
