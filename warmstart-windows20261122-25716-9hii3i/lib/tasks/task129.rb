Tasks.describe("task129", "does 129")
