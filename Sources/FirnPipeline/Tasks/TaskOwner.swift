/// The calls of a task to the engine.
protocol TaskOwner: AnyObject, Sendable {
    /// The task was cancelled and no longer needs its work.
    func taskCancelled(_ task: ImageTask)
    /// Returns the bytes of the task that have arrived; `nil` if it is not in a transfer. From now on the task receives
    /// every change.
    func progress(of task: ImageTask) -> ImageTask.Progress?
    /// The task got its first listener that requests more than the end. Passes it the progress and the latest preview.
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
