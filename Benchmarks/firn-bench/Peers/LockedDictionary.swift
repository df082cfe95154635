import Firn
import FirnSystem

/// A dictionary under one lock: the cheapest possible memory cache.
///
/// Safety: `table` is accessed only while `lock` is held.
final class LockedDictionary: @unchecked Sendable {
    private var table: [ImageCacheKey: ImageContainer] = [:]
    private var lock = pthread_mutex_t()

    init(_ keys: [ImageCacheKey], _ value: ImageContainer) {
        pthread_mutex_init(&lock, nil)
        for key in keys { table[key] = value }
    }

    deinit { pthread_mutex_destroy(&lock) }

    @inline(never)
    func look(_ key: ImageCacheKey) {
        pthread_mutex_lock(&lock)
        let found = table[key]
        pthread_mutex_unlock(&lock)
        withExtendedLifetime(found) {}
    }
}
