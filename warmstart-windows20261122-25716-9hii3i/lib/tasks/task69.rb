Tasks.describe("task69", "does 69")
