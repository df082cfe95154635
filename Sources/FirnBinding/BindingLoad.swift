import FirnImage
import FirnPipeline
import Synchronization

/// A request that runs for a view, or for the next one that wants the same.
@MainActor final class BindingLoad {
    /// What the load tells the drawing thread: less of it, fewer calls.
    struct Interest: OptionSet {
        let rawValue: UInt8
        static let end = Interest(rawValue: 1)
        static let previews = Interest(rawValue: 2)
        static let progress = Interest(rawValue: 4)
    }

    nonisolated var id: ObjectIdentifier { ObjectIdentifier(self) }
    let key: ImageCacheKey
    let task: ImageTask
    /// Who wants it now.
    weak var binding: ViewBinding?
    /// The number that the view knows it by.
    var number = 0
    /// Its latest early state, for a view that takes it over.
    var preview: ImageResponse?
    private let mailbox: LoadMailbox
    private nonisolated let interest = Atomic<UInt8>(Interest.end.rawValue)
    /// Whether a preview is on its way to the drawing thread. While that has no time for it, no other is made.
    private nonisolated let isPreviewWaiting = Atomic<Bool>(false)
    private var isListening = false
    /// Whether the engine makes early states for this load, which costs something.
    private var isWatching = false

    init(key: ImageCacheKey, task: ImageTask, mailbox: LoadMailbox) {
        self.key = key
        self.task = task
        self.mailbox = mailbox
    }

    /// A view wants it, and knows it by `number`.
    func bind(_ binding: ViewBinding, number: Int, interest: Interest) {
        self.binding = binding
        self.number = number
        // What was on its way to another view is in the task.
        notePreviewTaken()
        setInterest(interest)
        if interest.contains(.previews) { preview = task.latestPreview ?? preview }
    }

    func setInterest(_ new: Interest) {
        if !new.isDisjoint(with: [.previews, .progress]), !isWatching {
            isWatching = true
            // Order: listened to before the interest is stored, so that what a late listener missed is not told: early
            // states are found in the task, and progress comes again.
            let (mailbox, isFirst) = (mailbox, !isListening)
            task.onEvent(isFull: { [weak self] in self?.isPreviewWaiting.load(ordering: .relaxed) == true }) { event in
                if case .finished = event, !isFirst { return }
                mailbox.post(self, event)
            }
        } else if !isListening {
            let mailbox = mailbox
            task.onEnd { mailbox.post(self, .finished($0)) }
        }
        isListening = true
        interest.store(new.rawValue, ordering: .relaxed)
    }

    /// Whether the drawing thread is to hear of this. Called by the engine's threads.
    nonisolated func wants(_ event: ImageTask.Event) -> Bool {
        let interest = Interest(rawValue: interest.load(ordering: .relaxed))
        return switch event {
        case .progress: interest.contains(.progress)
        case .preview: interest.contains(.previews) && notePreview()
        case .finished: interest.contains(.end)
        }
    }

    /// - Returns: `true`.
    private nonisolated func notePreview() -> Bool {
        isPreviewWaiting.store(true, ordering: .relaxed)
        return true
    }

    /// The drawing thread has the latest preview.
    func notePreviewTaken() { isPreviewWaiting.store(false, ordering: .relaxed) }

    /// Goes on, less urgent than what is seen.
    func lower() { setPriority(.veryLow) }

    /// Stands still, and keeps what has arrived.
    func pause() {
        lower()
        task.pause()
    }

    /// Goes on, as urgent as it is now.
    func resume(_ priority: ImageRequest.Priority) {
        setPriority(priority)
        if task.isPaused { task.resume() }
    }

    /// Ends it; nobody hears of it any more.
    func cancel() {
        binding = nil
        interest.store(0, ordering: .relaxed)
        task.cancel()
    }

    func setPriority(_ priority: ImageRequest.Priority) {
        if task.priority != priority { task.priority = priority }
    }
}
