Tasks.describe("task66", "does 66")
