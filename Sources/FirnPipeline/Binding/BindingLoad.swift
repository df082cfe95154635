import FirnImage
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
    private nonisolated let interest = Atomic<UInt8>(Interest.end.rawValue)

    init(key: ImageCacheKey, task: ImageTask) {
        self.key = key
        self.task = task
    }

    /// A view wants it, and knows it by `number`.
    func bind(_ binding: ViewBinding, number: Int, interest: Interest) {
        self.binding = binding
        self.number = number
        self.interest.store(interest.rawValue, ordering: .relaxed)
    }

    func setInterest(_ new: Interest) { interest.store(new.rawValue, ordering: .relaxed) }

    /// Whether the drawing thread is to hear of this. Called by the engine's threads.
    nonisolated func wants(_ event: ImageTask.Event) -> Bool {
        let interest = Interest(rawValue: interest.load(ordering: .relaxed))
        return switch event {
        case .progress: interest.contains(.progress)
        case .preview: interest.contains(.previews)
        case .finished: interest.contains(.end)
        }
    }

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
        setInterest([])
        task.cancel()
    }

    func setPriority(_ priority: ImageRequest.Priority) {
        if task.priority != priority { task.priority = priority }
    }
}
