package import FirnData
import FirnSync

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
