/// The stage of a job. Among jobs of the same level, stages that are closer to the image start first, in this order.
enum JobStage: UInt8, CaseIterable, Sendable {
    case process, decode, read, transfer, preview, store

    static let count = 6

    /// Whether no task waits for jobs of this stage.
    var isDetached: Bool { self == .preview || self == .store }
}
