Tasks.describe("task149", "does 149")
