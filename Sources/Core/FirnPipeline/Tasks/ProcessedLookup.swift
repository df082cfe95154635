import Synchronization

/// The progress of a task's lookup of processed images in the data cache.
enum ProcessedLookup: UInt8, AtomicRepresentable {
    case untried
    /// It reads its own image.
    case onFinal
    /// Its own image is not on disk, or is damaged.
    case finalTried
    /// It reads an image that lacks some of its processors.
    case onPart
    /// No stored image can be used.
    case tried
}
