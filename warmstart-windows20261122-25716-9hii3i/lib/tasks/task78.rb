Tasks.describe("task78", "does 78")
