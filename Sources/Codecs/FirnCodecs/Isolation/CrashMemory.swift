/// Remembers calls that ended a worker more than once, so that they fail at once for a while. A pure value.
///
/// After a crash, calls of the same kind for the same file are refused. After a time or memory limit, only the same
/// call is refused, and only with limits that are no larger. Other calls for the file are not affected.
///
/// Invariant: at most ``most`` entries; the oldest are evicted first.
struct CrashMemory {
    /// A file, by its content.
    struct Source: Hashable {
        let format: ImageFormat
        let length: Int
        let digest: String
    }

    /// A call to a worker.
    enum Call: Hashable {
        case header
        /// The numbers of the options of the C interface: frame, layout, width, height, and the area's edges and sides.
        case image([UInt32])
        case preview([UInt32])
        /// The frames of a track of a sequence.
        case track

        /// The calls that run the same code of the library.
        enum Kind: Hashable { case header, whole, region, preview, track }

        var kind: Kind {
            switch self {
            case .header: .header
            case .image(let options): options.suffix(4).contains { $0 != 0 } ? .region : .whole
            case .preview: .preview
            case .track: .track
            }
        }
    }

    /// The knowledge about a file that the end of a worker gives.
    enum Evidence: Hashable {
        /// The library crashes.
        case crash
        /// The call takes longer than this; `nil` stands for no limit.
        case time(Duration?)
        /// The call needs more bytes than this.
        case memory(Int)
    }

    private struct Entry {
        let source: Source
        let call: Call
        var evidence: Evidence
        var count = 0
        var last: ContinuousClock.Instant
        var error: ImageError

        /// Returns whether evidence about a call belongs to this entry, regardless of its limit.
        func isAbout(_ other: Call, _ evidence: Evidence) -> Bool {
            switch (self.evidence, evidence) {
            case (.crash, .crash): call.kind == other.kind
            case (.time, .time), (.memory, .memory): call == other
            default: false
            }
        }
    }

    private static let most = 64
    /// The number of failures after which a call is refused. A single one may have had another cause, such as load.
    static let tolerated = 2
    /// The time for which a call is remembered after its last failure.
    static let time = Duration.seconds(600)

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Notes that a call of a file ended a worker.
    mutating func note(
        _ evidence: Evidence, _ error: ImageError, of source: Source, during call: Call,
        at now: ContinuousClock.Instant
    ) {
        forget(before: now)
        var entry = Entry(source: source, call: call, evidence: evidence, last: now, error: error)
        if let index = entries.firstIndex(where: { $0.source == source && $0.isAbout(call, evidence) }) {
            entry = entries.remove(at: index)
            // A call with a larger limit restarts the count: failures with smaller limits prove nothing about it.
            if !CrashMemory.refuses(entry.evidence, evidence) { (entry.evidence, entry.count) = (evidence, 0) }
        }
        entry.count += 1
        entry.last = now
        entry.error = error
        entries.append(entry)
        if entries.count > CrashMemory.most { entries.removeFirst() }
    }

    /// Returns the error of a call that ended workers before; `nil` if it may be tried.
    mutating func refusal(
        of source: Source, to call: Call, _ limits: ImageLimits, at now: ContinuousClock.Instant
    ) -> ImageError? {
        forget(before: now)
        let allowed = [.crash, .time(limits.maximumDecodingTime), .memory(limits.maximumWorkingBytes)] as [Evidence]
        let entry = entries.first { entry in
            entry.source == source && entry.count >= CrashMemory.tolerated
                && allowed.contains { entry.isAbout(call, $0) && CrashMemory.refuses(entry.evidence, $0) }
        }
        return entry.map {
            ImageError(
                $0.error.fault, at: .decoding, "\($0.error.message); it is not decoded again for some minutes",
                setting: $0.error.setting)
        }
    }

    /// Returns whether evidence refuses a call with this limit.
    private static func refuses(_ evidence: Evidence, _ limit: Evidence) -> Bool {
        switch (evidence, limit) {
        case (.time(let ended?), .time(let allowed?)): allowed <= ended
        case (.time(nil), .time): true
        case (.memory(let ended), .memory(let allowed)): allowed <= ended
        case (.crash, .crash): true
        default: false
        }
    }

    private mutating func forget(before now: ContinuousClock.Instant) {
        entries.removeAll { now - $0.last >= CrashMemory.time }
    }
}
