Tasks.describe("task135", "does 135")
