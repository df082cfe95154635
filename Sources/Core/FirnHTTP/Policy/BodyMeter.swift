import FirnSync

/// Counts a body against its limit and its stated length.
package struct BodyMeter: Equatable {
    package let limit: Int
    package var expected: Int?
    package private(set) var received = 0

    /// The number of bytes that are still expected; 0 if unknown.
    var remaining: Int { max(0, (expected ?? 0) - received) }

    package init(limit: Int) { self.limit = max(0, limit) }

    /// Counts bytes. Returns an error if they exceed the limit and must not be delivered.
    package mutating func take(_ count: Int) -> DataLoadingError? {
        guard count <= limit - received else { return .tooLarge(limit) }
        received += count
        return nil
    }

    /// Returns the error of a body that ended; `nil` if it is complete.
    package func end() -> DataLoadingError? {
        guard let expected, received != expected else { return nil }
        return cutShort()
    }

    /// Returns the error of a body whose connection was lost.
    package func cutShort() -> DataLoadingError {
        guard let expected else {
            return DataLoadingError(
                .truncated, "the connection closed in the middle of the body, after \(received) bytes")
        }
        return DataLoadingError(.truncated, "the body ended after \(received) of \(expected) bytes")
    }
}

/// Limits the decompression of a body: the compressed bytes, and the ratio of decompressed to compressed bytes.
package struct ExpansionMeter: Equatable {
    /// The number of decompressed bytes before the ratio applies. 16 MiB: a drawing or an uncompressed image of one
    /// color can shrink a thousandfold, but is not longer than that.
    package static let freeBytes = 16 << 20

    private var compressed: BodyMeter
    private let ratio: Int
    private var produced = 0

    /// - Parameter limit: maximum number of compressed bytes.
    package init(limit: Int, ratio: Int) {
        compressed = BodyMeter(limit: limit)
        self.ratio = max(1, ratio)
    }

    /// Counts compressed bytes.
    ///
    /// - Returns: the error if they must not be decompressed.
    package mutating func take(received count: Int) -> DataLoadingError? { compressed.take(count) }

    /// Counts decompressed bytes.
    ///
    /// - Returns: the error if they must not be delivered.
    package mutating func take(produced count: Int) -> DataLoadingError? {
        produced = produced.saturatingAdd(count)
        let most = compressed.received.saturatingMultiply(ratio)
        guard produced > ExpansionMeter.freeBytes, produced > most else { return nil }
        return DataLoadingError(
            .tooLarge(limit: most), "the compressed body becomes more than \(ratio) times as long")
    }
}

/// Detects a body that arrives too slowly: fewer bytes than a minimum within a time span. Times are in nanoseconds,
/// passed by the caller.
///
/// A span starts with the body, and again whenever the minimum is reached. Time while the meter is stopped does not
/// count.
package struct SpeedMeter: Equatable {
    /// Minimum number of bytes in a span; 0 for no limit.
    package let share: Int
    package let span: Duration
    private var bytes = 0
    private var elapsed: Int64 = 0
    private var since: Int64?

    /// - Parameters:
    ///   - limit: bytes per second.
    ///   - span: the time within which the minimum must arrive.
    package init(limit: Int, span: Duration) {
        let seconds = Double(span.nanoseconds) / 1_000_000_000
        share = Int(min(max(0, Double(limit) * seconds).rounded(.up), 1e15))
        self.span = span
    }

    package mutating func start(_ now: Int64) {
        if since == nil { since = now }
    }

    package mutating func stop(_ now: Int64) {
        guard let since else { return }
        elapsed = elapsed.saturatingAdd(max(0, now - since))
        self.since = nil
    }

    package mutating func take(_ count: Int, _ now: Int64) {
        bytes = bytes.saturatingAdd(max(0, count))
        guard bytes >= share else { return }
        bytes = 0
        elapsed = 0
        if since != nil { since = now }
    }

    /// When the body becomes too slow unless bytes arrive; `nil` while stopped.
    package var deadline: Int64? {
        guard share > 0, let since else { return nil }
        return since.saturatingAdd(max(0, span.nanoseconds - elapsed))
    }
}
