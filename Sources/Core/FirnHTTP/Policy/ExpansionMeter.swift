package import FirnData
import FirnSync

/// Limits the decompression of a body: the compressed bytes, and the ratio of decompressed to compressed bytes.
package struct ExpansionMeter: Equatable {
    /// Decompressed bytes before the ratio applies. 16 MiB: a drawing or an uncompressed image of one color compresses
    /// a thousandfold, and is no longer than that.
    package static let freeBytes = 16 << 20

    /// Maximum number of compressed bytes.
    package let limit: Int
    package let ratio: Int
    package private(set) var received = 0
    package private(set) var produced = 0

    package init(limit: Int, ratio: Int) {
        self.limit = max(0, limit)
        self.ratio = max(1, ratio)
    }

    /// Counts compressed bytes.
    ///
    /// - Returns: the error if they must not be decompressed.
    package mutating func take(received count: Int) -> DataLoadingError? {
        guard count <= limit - received else { return .tooLarge(limit) }
        received += count
        return nil
    }

    /// Counts decompressed bytes.
    ///
    /// - Returns: the error if they must not be delivered.
    package mutating func take(produced count: Int) -> DataLoadingError? {
        produced = produced.saturatingAdd(count)
        let most = received.saturatingMultiply(ratio)
        guard produced > ExpansionMeter.freeBytes, produced > most else { return nil }
        return DataLoadingError(
            .tooLarge(limit: most), "the compressed body becomes more than \(ratio) times as long")
    }
}
