import FirnData
import FirnSync

/// A transfer that ignores what it is told.
struct DeafTransfer: DataTransfer {
    func cancel() {}
    func pause() {}
    func resume() {}
}

/// A loader whose transfers continue for a while after a cancellation, as transfers on other threads do.
final class DeafLoader: DataLoading {
    private let receiver = Locked<(@Sendable (DataEvent) -> Void)?>(nil)
    private let started = Locked<(@Sendable () -> Void)?>(nil)

    /// Called in the middle of a start.
    var onStart: (@Sendable () -> Void)? {
        get { started.withLock { $0 } }
        set { started.withLock { $0 = newValue } }
    }

    func startLoading(
        _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
    ) -> any DataTransfer {
        receiver.withLock { $0 = receive }
        onStart?()
        return DeafTransfer()
    }

    /// Sends an event to the latest transfer.
    func say(_ event: DataEvent) { receiver.withLock { $0 }?(event) }
}
