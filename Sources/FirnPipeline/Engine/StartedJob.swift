import FirnData

/// A job that was taken from the table to run.
struct StartedJob {
    let ticket: JobTicket
    let job: EngineJob
    let stage: JobStage
    /// Whether this continues a paused transfer; see `JobTable.Start`.
    var isResumption = false
    /// The number of the resumption.
    var number: UInt64 = 0
    /// The priority of the job at its start.
    var level = ImageRequest.Priority.normal.rawValue
    /// The numbers of the tasks that wait for the job; none without observers.
    var tasks: PipelineEvent.TaskNumbers = []
}
