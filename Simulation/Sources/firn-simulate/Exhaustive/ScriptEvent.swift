/// An event of a script. The numbers are indices of tasks and of running jobs.
enum ScriptEvent: CustomStringConvertible {
    case add(Int)
    case cancel(Int)
    /// Sets the task to the highest level, or to the lowest if it has the highest.
    case turn(Int)
    /// Pauses or resumes the task.
    case pause(Int)
    case next
    case finish(Int)
    case fail(Int)
    case move(Int)
    case starve(Int)
    case reserve(Int)
    case bytes(Int)
    /// Six seconds pass.
    case wait

    var description: String {
        switch self {
        case .add(let task): "add \(task)"
        case .cancel(let task): "cancel \(task)"
        case .turn(let task): "turn \(task)"
        case .pause(let task): "pause \(task)"
        case .next: "next"
        case .finish(let job): "finish \(job)"
        case .fail(let job): "fail \(job)"
        case .move(let job): "move \(job)"
        case .starve(let job): "starve \(job)"
        case .reserve(let job): "reserve \(job)"
        case .bytes(let job): "bytes \(job)"
        case .wait: "wait"
        }
    }
}
