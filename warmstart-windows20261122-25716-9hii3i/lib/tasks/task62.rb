Tasks.describe("task62", "does 62")
