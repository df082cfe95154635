/// The stage of a job. ``QueueKind`` has the order in which the stages of a level start.
enum JobStage: UInt8, CaseIterable, Sendable {
    case process, decode, read, transfer, preview, store

    static let count = 6

    /// True if no task waits for jobs of this stage.
    var isDetached: Bool { self == .preview || self == .store }
}
