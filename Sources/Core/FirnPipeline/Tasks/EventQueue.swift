/// The events that a listener has not received yet. A pure value.
///
/// A preview replaces the one before, and the end removes it, unless the source refused the request: the stale image
/// stays visible then. At most `depth` steps of progress are kept. The end is never lost, and nothing follows it.
struct EventQueue {
    /// The events that a listener requests besides the end.
    struct Interest: OptionSet {
        let rawValue: UInt8
        static let progress = Interest(rawValue: 1)
        static let previews = Interest(rawValue: 2)
        static let everything: Interest = [.progress, .previews]
    }

    static let depth = 64

    private let interest: Interest
    private var waiting: [ImageTask.Event] = []
    /// Bytes of the latest progress.
    private var reached = 0
    private var hasEnd = false
    /// True if a preview has not been received yet.
    private(set) var hasPreview = false
    /// True if the end has been received.
    private(set) var isOver = false

    init(_ interest: Interest) { self.interest = interest }

    var isEmpty: Bool { waiting.isEmpty }

    /// Adds an event if it is requested and not outdated.
    mutating func put(_ event: ImageTask.Event) {
        guard !hasEnd else { return }
        switch event {
        case .progress(let progress):
            guard interest.contains(.progress), progress.completed > reached else { return }
            reached = progress.completed
            if waiting.count > EventQueue.depth,
                let oldest = waiting.firstIndex(where: { if case .progress = $0 { true } else { false } })
            {
                waiting.remove(at: oldest)
            }
            waiting.append(event)
        case .preview:
            guard interest.contains(.previews) else { return }
            dropPreview()
            waiting.append(event)
            hasPreview = true
        case .finished(let result):
            if !result.isRefusal { dropPreview() }
            waiting.append(event)
            hasEnd = true
        }
    }

    /// Removes and returns the oldest event.
    mutating func take() -> ImageTask.Event? {
        guard !waiting.isEmpty else { return nil }
        let event = waiting.removeFirst()
        switch event {
        case .progress: break
        case .preview: hasPreview = false
        case .finished: isOver = true
        }
        return event
    }

    /// Drops all events, because no reader is left.
    mutating func close() {
        waiting = []
        hasPreview = false
        hasEnd = true
        isOver = true
    }

    private mutating func dropPreview() {
        guard hasPreview else { return }
        waiting.removeAll { if case .preview = $0 { true } else { false } }
        hasPreview = false
    }
}
