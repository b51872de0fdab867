Tasks.describe("task170", "does 170")
