Tasks.describe("task190", "does 190")
