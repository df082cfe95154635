/// What a task asks of the engine.
protocol TaskOwner: AnyObject, Sendable {
    /// The task was cancelled and needs its work no more.
    func taskCancelled(_ task: ImageTask)
    /// How many bytes of the task have arrived; `nil` if they do not arrive now. From now on the task gets every
    /// change.
    func progress(of task: ImageTask) -> ImageTask.Progress?
    /// The task got its first listener that wants more than the end. Passes it the progress and the latest preview.
    func taskIsWatched(_ task: ImageTask)
    func task(_ task: ImageTask, changedPriority priority: ImageRequest.Priority)
    func task(_ task: ImageTask, isPaused: Bool)
    /// The task has ended, for any reason. Called once, before its listeners.
    func taskEnded(_ task: ImageTask, _ end: TaskRecord.End)
}

extension TaskOwner {
    /// Passes the progress alone.
    func taskIsWatched(_ task: ImageTask) {
        if let progress = progress(of: task) { task.pass(.progress(progress)) }
    }

    /// Does nothing.
    func taskEnded(_ task: ImageTask, _ end: TaskRecord.End) {}
}
