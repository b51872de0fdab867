Tasks.describe("task179", "does 179")
