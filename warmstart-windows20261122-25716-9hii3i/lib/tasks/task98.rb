Tasks.describe("task98", "does 98")
