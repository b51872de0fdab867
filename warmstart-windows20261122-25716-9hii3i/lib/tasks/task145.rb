Tasks.describe("task145", "does 145")
