import FirnImage

/// Remembers files that ended a worker more than once, so that they are refused at once for a while: a value.
///
/// Invariant: at most ``most`` entries; the oldest go first.
struct CrashMemory {
    /// A file, by its content.
    struct Source: Hashable {
        let format: ImageFormat
        let length: Int
        let digest: String
    }

    private struct Entry {
        let source: Source
        var count: Int
        var last: ContinuousClock.Instant
        var error: ImageDecodingError
    }

    private static let most = 64
    /// The crashes after which a file is refused. One may have had another cause, such as a lack of memory.
    static let tolerated = 2
    /// How long a file is remembered after its last crash.
    static let time = Duration.seconds(600)

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Notes that decoding a file ended a worker.
    mutating func note(_ error: ImageDecodingError, of source: Source, at now: ContinuousClock.Instant) {
        forget(before: now)
        var entry = Entry(source: source, count: 0, last: now, error: error)
        if let index = entries.firstIndex(where: { $0.source == source }) { entry = entries.remove(at: index) }
        entry.count += 1
        entry.last = now
        entry.error = error
        entries.append(entry)
        if entries.count > CrashMemory.most { entries.removeFirst() }
    }

    /// Returns the error of a file that ended workers before; `nil` if it may be tried.
    mutating func refusal(of source: Source, at now: ContinuousClock.Instant) -> ImageDecodingError? {
        forget(before: now)
        guard let entry = entries.first(where: { $0.source == source }), entry.count >= CrashMemory.tolerated else {
            return nil
        }
        return ImageDecodingError(
            entry.error.fault, "\(entry.error.message); it is not decoded again for some minutes")
    }

    private mutating func forget(before now: ContinuousClock.Instant) {
        entries.removeAll { now - $0.last >= CrashMemory.time }
    }
}
