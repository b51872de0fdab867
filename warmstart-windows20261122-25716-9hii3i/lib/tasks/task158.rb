Tasks.describe("task158", "does 158")
