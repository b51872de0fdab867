Tasks.describe("task169", "does 169")
