/// What a job does next. In the order of preference among equally urgent jobs: what is nearest to an image first.
enum JobStage: UInt8, CaseIterable, Sendable {
    case process, decode, read, transfer, preview, store

    static let count = 6

    /// Whether no task waits for jobs of this stage.
    var isDetached: Bool { self == .preview || self == .store }
}
