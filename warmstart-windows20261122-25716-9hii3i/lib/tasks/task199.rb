Tasks.describe("task199", "does 199")
