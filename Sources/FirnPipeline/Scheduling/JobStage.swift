/// The stage of a job. In order of preference among equally urgent jobs: the nearest to an image first.
enum JobStage: UInt8, CaseIterable, Sendable {
    case process, decode, read, transfer, preview, store

    static let count = 6

    /// Whether no task waits for jobs of this stage.
    var isDetached: Bool { self == .preview || self == .store }
}
