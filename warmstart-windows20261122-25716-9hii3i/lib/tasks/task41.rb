Tasks.describe("task41", "does 41")
