Tasks.describe("task21", "does 21")
