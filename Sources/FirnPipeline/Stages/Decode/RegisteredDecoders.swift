package import FirnImage
import FirnSync
import Synchronization

/// Decoders that all pipelines of the process ask before their own: what `ImageDecoderRegistry.shared` of
/// FirnMigration holds.
package enum RegisteredDecoders {
    /// Makes a decoder of content; `nil` if it does not take it.
    package typealias Maker = @Sendable (ImageDecodingContext) -> (any ImageDecoding)?

    private static let makers = Locked<[Maker]>([])
    private static let count = Atomic<Int>(0)

    /// Whether nothing is registered, as in programs without FirnMigration. Takes no lock.
    static var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// The decoder of the latest maker that takes the content. Makers are called without a lock.
    package static func decoder(for context: ImageDecodingContext) -> (any ImageDecoding)? {
        if isEmpty { return nil }
        for maker in makers.withLock({ $0 }) {
            if let decoder = maker(context) { return decoder }
        }
        return nil
    }

    /// Adds a maker, which is asked before those that are there.
    package static func register(_ maker: @escaping Maker) {
        makers.withLock {
            $0.insert(maker, at: 0)
            count.store($0.count, ordering: .relaxed)
        }
    }

    /// Removes all makers.
    package static func removeAll() {
        let removed = makers.withLock { makers in
            defer { makers = [] }
            count.store(0, ordering: .relaxed)
            return makers
        }
        // Order: what they hold is released without the lock.
        _ = removed
    }
}
