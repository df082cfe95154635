import FirnImage

/// Stops a decode between row groups if it was cancelled or exceeded its time limit.
struct DecodingWatch {
    private let cancellation: CancellationFlag
    let end: ContinuousClock.Instant?

    /// Starts the time limit of one call.
    init(_ cancellation: CancellationFlag, limit: Duration?) {
        self.cancellation = cancellation
        end = limit.map { ContinuousClock.now + $0 }
    }

    /// A watch that never stops a decode.
    static let none = DecodingWatch(CancellationFlag(), limit: nil)

    /// - Throws: ``ImageDecodingError/Fault/cancelled`` or ``ImageDecodingError/Fault/limit``.
    func check() throws(ImageDecodingError) {
        if cancellation.isCancelled { throw ImageDecodingError(.cancelled, "the decode was cancelled") }
        if let end, ContinuousClock.now > end {
            throw ImageDecodingError(.limit, "takes longer to decode than ImageLimits.maximumDecodingTime allows")
        }
    }
}
