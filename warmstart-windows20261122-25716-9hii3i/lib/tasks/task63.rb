Tasks.describe("task63", "does 63")
