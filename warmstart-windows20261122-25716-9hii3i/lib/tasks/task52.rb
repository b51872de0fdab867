Tasks.describe("task52", "does 52")
