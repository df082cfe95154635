import FirnImage
import FirnSync

/// A memory cache that returns nothing and records what is stored.
final class RememberingCache: ImageCaching {
    private let containers = Locked<[ImageContainer]>([])

    var stored: [ImageContainer] { containers.withLock { $0 } }

    subscript(key: ImageCacheKey) -> ImageContainer? {
        get { nil }
        set {
            guard let newValue else { return }
            containers.withLock { $0.append(newValue) }
        }
    }

    func removeAll() {}
}
