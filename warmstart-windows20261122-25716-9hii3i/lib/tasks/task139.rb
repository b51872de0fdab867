Tasks.describe("task139", "does 139")
