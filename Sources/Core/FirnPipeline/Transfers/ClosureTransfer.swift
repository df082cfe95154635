import FirnData
import FoundationEssentials
import Synchronization

/// Runs the closure of a request for bytes as a transfer.
///
/// The closure runs on the concurrent executor. It may suspend, but must not block.
struct ClosureTransfer: DataTransfer {
    private let task: Task<Void, Never>

    init(
        _ body: @escaping @Sendable () async throws -> Data, _ receive: @escaping @Sendable (DataEvent) -> Void
    ) {
        task = Task.detached {
            do {
                let data = try await body()
                receive(.chunk(data))
                receive(.end(nil))
            } catch let error as DataLoadingError {
                receive(.end(error))
            } catch is CancellationError {
                receive(
                    .end(DataLoadingError(.cancelled, "the request was cancelled", underlying: CancellationError())))
            } catch {
                receive(.end(DataLoadingError(.other, ClosureTransfer.message(error), underlying: error)))
            }
        }
    }

    /// The message without the source, if the closure threw the error of another pipeline.
    private static func message(_ error: any Error) -> String {
        (error as? ImageLoadingError)?.message ?? "\(error)"
    }

    func cancel() { task.cancel() }
    func pause() {}
    func resume() {}
}

/// A transfer that is created on first use. It can be paused or cancelled before it begins.
///
/// Invariant: once set, the reference never changes; `deinit` releases it.
struct LazyTransfer: ~Copyable, Sendable {
    private let reference = Atomic<Unmanaged<BodyTransfer>?>(nil)

    deinit { reference.load(ordering: .acquiring)?.release() }

    /// The transfer, if it was created.
    var existing: BodyTransfer? { reference.load(ordering: .acquiring)?.takeUnretainedValue() }

    /// Returns the transfer and creates it if needed. If two threads create it at once, both get the same one.
    borrowing func get() -> BodyTransfer {
        if let existing { return existing }
        let new = Unmanaged.passRetained(BodyTransfer())
        let (isFirst, other) = reference.compareExchange(
            expected: nil, desired: new, ordering: .acquiringAndReleasing)
        guard !isFirst, let other else { return new.takeUnretainedValue() }
        new.release()
        return other.takeUnretainedValue()
    }
}
