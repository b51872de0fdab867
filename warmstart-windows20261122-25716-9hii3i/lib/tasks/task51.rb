Tasks.describe("task51", "does 51")
