Tasks.describe("task143", "does 143")
