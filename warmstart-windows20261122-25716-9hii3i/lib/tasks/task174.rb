Tasks.describe("task174", "does 174")
