Tasks.describe("task68", "does 68")
