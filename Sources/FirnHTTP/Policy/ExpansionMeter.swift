package import FirnData

/// Bounds what decompression may make of a body: the bytes that come in, and how many times as many go out.
package struct ExpansionMeter: Equatable {
    /// Bytes that may come out before the ratio counts. 16 MiB: a drawing or an uncompressed image of one color compresses
    /// a thousandfold, and is as long at most.
    package static let freeBytes = 16 << 20

    /// The most compressed bytes.
    package let limit: Int
    /// How many times as long the body may become.
    package let ratio: Int
    package private(set) var received = 0
    package private(set) var produced = 0

    package init(limit: Int, ratio: Int) {
        self.limit = max(0, limit)
        self.ratio = max(1, ratio)
    }

    /// Takes compressed bytes.
    ///
    /// - Returns: why they must not be decompressed.
    package mutating func take(received count: Int) -> DataLoadingError? {
        guard count <= limit - received else { return .tooLarge(limit) }
        received += count
        return nil
    }

    /// Takes decompressed bytes.
    ///
    /// - Returns: why they must not be delivered.
    package mutating func take(produced count: Int) -> DataLoadingError? {
        let (sum, overflow) = produced.addingReportingOverflow(count)
        produced = overflow ? .max : sum
        let (most, isBeyond) = received.multipliedReportingOverflow(by: ratio)
        guard produced > ExpansionMeter.freeBytes, !isBeyond, produced > most else { return nil }
        return DataLoadingError(
            .tooLarge(limit: most), "the compressed body becomes more than \(ratio) times as long")
    }
}
