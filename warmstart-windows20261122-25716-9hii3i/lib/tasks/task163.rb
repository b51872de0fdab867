Tasks.describe("task163", "does 163")
