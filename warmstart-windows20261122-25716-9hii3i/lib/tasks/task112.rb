Tasks.describe("task112", "does 112")
