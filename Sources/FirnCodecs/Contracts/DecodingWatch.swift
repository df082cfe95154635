import FirnImage

/// Tells a decode between row groups when it has to stop: it is no longer wanted, or has taken too long.
struct DecodingWatch {
    private let cancellation: CancellationFlag
    private let end: ContinuousClock.Instant?

    /// Starts the time that one call may take.
    init(_ cancellation: CancellationFlag, limit: Duration?) {
        self.cancellation = cancellation
        end = limit.map { ContinuousClock.now + $0 }
    }

    /// Never says that a decode has to stop.
    static let none = DecodingWatch(CancellationFlag(), limit: nil)

    /// - Throws: ``ImageDecodingError/Fault/cancelled`` or ``ImageDecodingError/Fault/limit``.
    func check() throws(ImageDecodingError) {
        if cancellation.isCancelled { throw ImageDecodingError(.cancelled, "the decode was cancelled") }
        if let end, ContinuousClock.now > end {
            throw ImageDecodingError(.limit, "takes longer to decode than the limit")
        }
    }
}
