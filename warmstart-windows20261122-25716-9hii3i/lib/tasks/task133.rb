Tasks.describe("task133", "does 133")
