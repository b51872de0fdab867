Tasks.describe("task99", "does 99")
