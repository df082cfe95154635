package import FirnImage
import FirnSync
import Synchronization

/// The decoders of an `ImageDecoderRegistry` in FirnMigration.
package final class RegisteredDecoders: Sendable {
    /// Those that all pipelines of the process use before their own.
    package static let shared = RegisteredDecoders()

    /// Makes a decoder for content; `nil` if it does not support the content.
    package typealias Maker = @Sendable (ImageDecodingContext) -> (any ImageDecoding)?

    private let makers = Locked<[Maker]>([])
    private let count = Atomic<Int>(0)

    package init() {}

    /// True if nothing is registered, as in programs without FirnMigration. Takes no lock.
    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// Returns the decoder of the latest maker that supports the content. Makers are called without a lock.
    package func decoder(for context: ImageDecodingContext) -> (any ImageDecoding)? {
        if isEmpty { return nil }
        for maker in makers.withLock({ $0 }) {
            if let decoder = maker(context) { return decoder }
        }
        return nil
    }

    /// Adds a maker. It is called before the earlier ones.
    package func register(_ maker: @escaping Maker) {
        makers.withLock {
            $0.insert(maker, at: 0)
            count.store($0.count, ordering: .relaxed)
        }
    }

    package func removeAll() {
        // Order: the makers are released without the lock.
        _ = makers.withLock { makers in
            defer { makers = [] }
            count.store(0, ordering: .relaxed)
            return makers
        }
    }
}
