/// Who works for a task: what a task asks of the engine.
protocol TaskOwner: AnyObject, Sendable {
    /// The task has ended by itself; nobody needs its work any more.
    func taskCancelled(_ task: ImageTask)
    /// How much of the task's bytes has arrived, while they do.
    func progress(of task: ImageTask) -> ImageTask.Progress?
    /// The latest preview of the task's image that was made for others.
    func preview(of task: ImageTask) -> ImageResponse?
    /// The task has become more or less urgent.
    func task(_ task: ImageTask, changedPriority priority: ImageRequest.Priority)
    /// The task rests, or goes on.
    func task(_ task: ImageTask, isPaused: Bool)
    /// The task has ended, whatever the reason. Called once, before anybody else is told.
    func taskEnded(_ task: ImageTask, _ end: TaskRecord.End)
}

extension TaskOwner {
    /// None.
    func preview(of task: ImageTask) -> ImageResponse? { nil }

    /// Nothing follows.
    func taskEnded(_ task: ImageTask, _ end: TaskRecord.End) {}
}
