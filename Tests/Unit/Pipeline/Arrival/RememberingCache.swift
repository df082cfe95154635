import FirnImage
import FirnSync

/// A memory cache that has nothing, and remembers what it was given.
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
