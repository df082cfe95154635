import FirnImage

/// Applies the callers' changes of running tasks.
struct TaskControl: Sendable {
    let shell: TableShell
    let emitter: EventEmitter

    func setPriority(_ priority: ImageRequest.Priority, of task: ImageTask) {
        if task.number != 0 { emitter.emit(.taskChangedPriority(task.number, priority)) }
        shell.applyPriority(of: task)
    }

    func setPaused(_ isPaused: Bool, _ task: ImageTask) {
        if task.number != 0 { emitter.emit(isPaused ? .taskPaused(task.number) : .taskResumed(task.number)) }
        shell.applyPause(of: task)
    }

    /// Applies changes that were made to a task while it was not in the table.
    func catchUp(with task: ImageTask) {
        if task.priority != task.request.priority { setPriority(task.priority, of: task) }
        if task.isPaused { setPaused(true, task) }
        // Order: last, so that a task that was cancelled meanwhile is removed from the table.
        if task.state != .running { shell.cancel(task) }
    }
}
