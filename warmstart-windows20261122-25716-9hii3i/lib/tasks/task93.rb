Tasks.describe("task93", "does 93")
