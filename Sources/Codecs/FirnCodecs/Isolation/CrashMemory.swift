/// Remembers calls that ended a worker more than once, so that they are refused at once for a while: a value.
///
/// A crash refuses calls of the same kind of the same file. A call that ended at its limit of time or memory refuses
/// the same call alone, and only with limits that are no larger. Neither refuses other calls of the file.
///
/// Invariant: at most ``most`` entries; the oldest go first.
struct CrashMemory {
    /// A file, by its content.
    struct Source: Hashable {
        let format: ImageFormat
        let length: Int
        let digest: String
    }

    /// The calls that a worker may get.
    enum Call: Hashable {
        case header
        case image(Image)
        case preview(Image)
        /// The frames of a track of a sequence.
        case track

        /// The part of the file that is decoded.
        struct Image: Hashable {
            var frame: UInt32
            var layout: UInt32
            /// The size requested; 0 for all stored pixels.
            var width: UInt32
            var height: UInt32
            /// The left and top edge, the width and the height of the part requested; 0 for all of it.
            var area: [UInt32]
        }

        /// The calls that run the same code of the library.
        enum Kind: Hashable { case header, whole, region, preview, track }

        var kind: Kind {
            switch self {
            case .header: .header
            case .image(let image): image.area.contains { $0 != 0 } ? .region : .whole
            case .preview: .preview
            case .track: .track
            }
        }
    }

    /// The proof of an end about a file.
    enum Evidence: Hashable {
        /// The library fails on it.
        case crash
        /// It takes longer than `time`; `nil` stands for no limit.
        case time(Duration?)
        /// It needs more bytes than these.
        case memory(Int)
    }

    private struct Entry {
        let source: Source
        let call: Call
        var evidence: Evidence
        var count = 0
        var last: ContinuousClock.Instant
        var error: ImageDecodingError

        /// Returns whether evidence about a call counts here, whatever its limit.
        func isAbout(_ other: Call, _ evidence: Evidence) -> Bool {
            switch (self.evidence, evidence) {
            case (.crash, .crash): call.kind == other.kind
            case (.time, .time), (.memory, .memory): call == other
            default: false
            }
        }
    }

    private static let most = 64
    /// The ends after which a call is refused. One may have had another cause, such as a busy machine.
    static let tolerated = 2
    /// The time that a call is remembered after its last end.
    static let time = Duration.seconds(600)

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Notes that a call of a file ended a worker.
    mutating func note(
        _ evidence: Evidence, _ error: ImageDecodingError, of source: Source, during call: Call,
        at now: ContinuousClock.Instant
    ) {
        forget(before: now)
        var entry = Entry(source: source, call: call, evidence: evidence, last: now, error: error)
        if let index = entries.firstIndex(where: { $0.source == source && $0.isAbout(call, evidence) }) {
            entry = entries.remove(at: index)
            // A call with a larger limit begins a new count: the ends with smaller ones prove nothing about it.
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
    ) -> ImageDecodingError? {
        forget(before: now)
        let allowed = [.crash, .time(limits.maximumDecodingTime), .memory(limits.maximumWorkingBytes)] as [Evidence]
        let entry = entries.first { entry in
            entry.source == source && entry.count >= CrashMemory.tolerated
                && allowed.contains { entry.isAbout(call, $0) && CrashMemory.refuses(entry.evidence, $0) }
        }
        return entry.map {
            ImageDecodingError($0.error.fault, "\($0.error.message); it is not decoded again for some minutes")
        }
    }

    /// Returns whether an end refuses a call, whose limit is `limit`.
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
