Tasks.describe("task142", "does 142")
