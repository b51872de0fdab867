Tasks.describe("task197", "does 197")
