package import FirnImage
import FirnSync
import Synchronization

/// Decoders that all pipelines of the process use before their own: those of `ImageDecoderRegistry.shared` in
/// FirnMigration.
package enum RegisteredDecoders {
    /// Makes a decoder for content; `nil` if it does not support the content.
    package typealias Maker = @Sendable (ImageDecodingContext) -> (any ImageDecoding)?

    private static let makers = Locked<[Maker]>([])
    private static let count = Atomic<Int>(0)

    /// True if nothing is registered, as in programs without FirnMigration. Takes no lock.
    static var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// Returns the decoder of the latest maker that supports the content. Makers are called without a lock.
    package static func decoder(for context: ImageDecodingContext) -> (any ImageDecoding)? {
        if isEmpty { return nil }
        for maker in makers.withLock({ $0 }) {
            if let decoder = maker(context) { return decoder }
        }
        return nil
    }

    /// Adds a maker. It is called before the earlier ones.
    package static func register(_ maker: @escaping Maker) {
        makers.withLock {
            $0.insert(maker, at: 0)
            count.store($0.count, ordering: .relaxed)
        }
    }

    package static func removeAll() {
        let removed = makers.withLock { makers in
            defer { makers = [] }
            count.store(0, ordering: .relaxed)
            return makers
        }
        // Order: the makers are released without the lock.
        _ = removed
    }
}
