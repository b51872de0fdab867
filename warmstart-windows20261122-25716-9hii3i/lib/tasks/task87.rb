Tasks.describe("task87", "does 87")
