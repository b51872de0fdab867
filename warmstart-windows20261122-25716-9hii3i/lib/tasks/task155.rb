Tasks.describe("task155", "does 155")
