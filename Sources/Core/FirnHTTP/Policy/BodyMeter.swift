package import FirnData

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

extension DataLoadingError {
    static func tooLarge(_ limit: Int) -> DataLoadingError {
        DataLoadingError(
            .tooLarge(limit: limit), "the body is longer than the \(limit) bytes that ImageLimits.maximumBytes allows")
    }
}
