import Synchronization

/// A request that is running for a view, or kept for the next view with the same request.
@MainActor final class BindingLoad {
    /// The events that the drawing thread needs. Fewer events mean fewer calls.
    struct Interest: OptionSet {
        let rawValue: UInt8
        static let end = Interest(rawValue: 1)
        static let previews = Interest(rawValue: 2)
        static let progress = Interest(rawValue: 4)
    }

    nonisolated var id: ObjectIdentifier { ObjectIdentifier(self) }
    let key: ImageRequest.LoadKey
    let task: ImageTask
    /// The view that the load is for; `nil` if released.
    weak var binding: ViewBinding?
    var number = 0
    /// The latest preview, for a view that takes over the load.
    var preview: ImageResponse?
    private let mailbox: LoadMailbox
    private nonisolated let interest = Atomic<UInt8>(Interest.end.rawValue)
    /// True if a preview is waiting for the drawing thread. No other preview is made until then.
    private nonisolated let isPreviewWaiting = Atomic<Bool>(false)
    private var isListening = false
    /// True if the engine makes previews for this load, which costs processor time.
    private var isWatching = false

    init(key: ImageRequest.LoadKey, task: ImageTask, mailbox: LoadMailbox) {
        self.key = key
        self.task = task
        self.mailbox = mailbox
    }

    /// Binds the load to a view, which identifies it by `number`.
    func bind(_ binding: ViewBinding, number: Int, interest: Interest) {
        self.binding = binding
        self.number = number
        // Events not delivered to the previous view are also in the task.
        notePreviewTaken()
        setInterest(interest)
        if interest.contains(.previews) { preview = task.latestPreview ?? preview }
    }

    func setInterest(_ new: Interest) {
        if !new.isDisjoint(with: [.previews, .progress]), !isWatching {
            isWatching = true
            // Order: subscribes before storing the interest, so that nothing is reported twice. A late subscriber finds
            // the latest preview in the task, and progress is reported again.
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

    /// Returns whether the drawing thread needs this event. Called by the engine's threads.
    nonisolated func wants(_ event: ImageTask.Event) -> Bool {
        let interest = Interest(rawValue: interest.load(ordering: .relaxed))
        if case .preview = event, interest.contains(.previews) { isPreviewWaiting.store(true, ordering: .relaxed) }
        return switch event {
        case .progress: interest.contains(.progress)
        case .preview: interest.contains(.previews)
        case .finished: interest.contains(.end)
        }
    }

    /// Records that the drawing thread has the latest preview.
    func notePreviewTaken() { isPreviewWaiting.store(false, ordering: .relaxed) }

    /// Pauses the load and keeps its bytes.
    func pause() {
        setPriority(.veryLow)
        task.isPaused = true
    }

    func resume(_ priority: ImageRequest.Priority) {
        setPriority(priority)
        task.isPaused = false
    }

    /// Cancels the load and reports nothing from then on.
    func cancel() {
        binding = nil
        interest.store(0, ordering: .relaxed)
        task.cancel()
    }

    func setPriority(_ priority: ImageRequest.Priority) {
        if task.priority != priority { task.priority = priority }
    }
}

/// The state of a request right after its start.
enum LoadStart {
    case running(BindingLoad)
    /// The request has ended: the image was in memory, or the request failed.
    case ended(ImageTask, Result<ImageResponse, ImageLoadingError>)
}
