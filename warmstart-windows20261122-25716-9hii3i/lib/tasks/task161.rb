Tasks.describe("task161", "does 161")
