/// What a job does next. In the order of preference among equally urgent jobs: what is nearest to a picture first.
enum JobStage: UInt8, CaseIterable, Sendable {
    case process, decode, read, transfer, store

    static let count = 5
}
