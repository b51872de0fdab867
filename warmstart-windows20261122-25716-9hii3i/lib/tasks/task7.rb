Tasks.describe("task7", "does 7")
