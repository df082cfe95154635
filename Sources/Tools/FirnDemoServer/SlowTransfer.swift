import Dispatch
import FirnData
import FoundationEssentials

/// A transfer whose events are delayed by the simulated line.
///
/// Safety: everything mutable is used on `queue` only.
final class SlowTransfer: DataTransfer, @unchecked Sendable {
    /// Bytes of one piece: small enough that transfers share the line evenly.
    private static let pieceLength = 16 << 10
    /// Queued bytes from which the inner transfer is paused; below a quarter of it, it is resumed.
    private static let maximumWaiting = 1 << 20

    private let queue: DispatchQueue
    private let due: @Sendable (Int) -> Duration
    private let receive: @Sendable (DataEvent) -> Void
    private let responseTime: DispatchTime

    private var inner: (any DataTransfer)?
    private var waiting: ArraySlice<DataEvent> = []
    private var waitingBytes = 0
    private var isSending = false
    private var isPaused = false
    private var isHeldBack = false
    private var isEnded = false

    /// - Parameter due: the time until this many bytes have passed.
    init(
        queue: DispatchQueue, latency: Duration, due: @escaping @Sendable (Int) -> Duration,
        receive: @escaping @Sendable (DataEvent) -> Void
    ) {
        self.queue = queue
        self.due = due
        self.receive = receive
        responseTime = .now() + SlowTransfer.interval(latency)
    }

    func begin(_ inner: any DataTransfer) {
        queue.async { [self] in
            guard !isEnded else { return inner.cancel() }
            self.inner = inner
            if isPaused || isHeldBack { inner.pause() }
        }
    }

    func arrived(_ event: DataEvent) {
        queue.async { [self] in
            guard !isEnded else { return }
            if case .chunk(let data) = event {
                for start in stride(from: 0, to: data.count, by: SlowTransfer.pieceLength) {
                    let from = data.startIndex + start
                    waiting.append(.chunk(data[from..<min(from + SlowTransfer.pieceLength, data.endIndex)]))
                }
                waitingBytes += data.count
                holdBack()
            } else {
                waiting.append(event)
            }
            send()
        }
    }

    // MARK: On the queue

    private func holdBack() {
        let isFull = waitingBytes >= (isHeldBack ? SlowTransfer.maximumWaiting / 4 : SlowTransfer.maximumWaiting)
        guard isFull != isHeldBack else { return }
        isHeldBack = isFull
        if isFull { inner?.pause() } else if !isPaused { inner?.resume() }
    }

    private func send() {
        guard !isSending, !isPaused, let next = waiting.first else { return }
        var time = DispatchTime.now()
        if case .chunk(let data) = next { time = time + SlowTransfer.interval(due(data.count)) }
        isSending = true
        queue.asyncAfter(deadline: max(time, responseTime)) { [self] in
            isSending = false
            // Order: taken only now, since the transfer may have been cancelled meanwhile.
            guard let event = waiting.popFirst() else { return }
            deliver(event)
            send()
        }
    }

    private func deliver(_ event: DataEvent) {
        // An empty slice still holds the delivered bytes.
        if waiting.isEmpty { waiting = [] }
        if case .chunk(let data) = event {
            waitingBytes -= data.count
            holdBack()
        }
        if case .end(let error) = event { end(error) } else { receive(event) }
    }

    private func end(_ error: DataLoadingError?) {
        isEnded = true
        waiting = []
        inner = nil
        receive(.end(error))
    }

    // MARK: Orders

    func cancel() {
        queue.async { [self] in
            guard !isEnded else { return }
            inner?.cancel()
            end(DataLoadingError(.cancelled, "cancelled"))
        }
    }

    func pause() {
        queue.async { [self] in
            isPaused = true
            inner?.pause()
        }
    }

    func resume() {
        queue.async { [self] in
            isPaused = false
            if !isHeldBack { inner?.resume() }
            send()
        }
    }

    func setPriority(_ priority: DataPriority) { queue.async { [self] in inner?.setPriority(priority) } }

    private static func interval(_ duration: Duration) -> DispatchTimeInterval {
        .nanoseconds(Int(clamping: duration.nanoseconds))
    }
}
