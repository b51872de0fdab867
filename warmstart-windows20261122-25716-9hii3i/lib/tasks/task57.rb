Tasks.describe("task57", "does 57")
