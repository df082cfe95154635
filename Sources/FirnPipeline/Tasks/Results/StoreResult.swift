import FirnData

/// How a store ended.
enum StoreResult: Sendable {
    case stored
    /// The entry was not to be stored.
    case skipped
    case failed(DataCachingError)
}
