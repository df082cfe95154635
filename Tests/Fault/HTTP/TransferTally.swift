import FirnData
import FirnSync
import FirnTesting

/// A transfer and the counts of what it received; does not keep the bytes.
final class TransferTally: Sendable {
    private struct Counts {
        var bytes = 0
        var ends = 0
        var hasPaused = false
        var isReleased = false
    }

    private let handle = Locked<(any DataTransfer)?>(nil)
    private let counts = Locked(Counts())
    private let recorder = Recorder<DataEvent>()

    /// The transfer, once it is known; events may arrive before `startLoading` returns it.
    var transfer: (any DataTransfer)? {
        get { handle.withLock { $0 } }
        set { handle.withLock { $0 = newValue } }
    }

    /// True if a paused transfer may go on.
    var isReleased: Bool {
        get { counts.withLock { $0.isReleased } }
        set { counts.withLock { $0.isReleased = newValue } }
    }
    var bytes: Int { counts.withLock { $0.bytes } }
    var ends: Int { counts.withLock { $0.ends } }
    var error: DataLoadingError? { recorder.record.error }

    func count(_ event: DataEvent) {
        counts.withLock { counts in
            switch event {
            case .response: break
            case .chunk(let data): counts.bytes += data.count
            case .end: counts.ends += 1
            }
        }
        if case .end(let error) = event {
            recorder.add(.end(error))
        }
    }

    /// Returns true at the first call only.
    func pauseOnce() -> Bool {
        counts.withLock { counts in
            defer { counts.hasPaused = true }
            return !counts.hasPaused
        }
    }

    func waitForEnd() async { await recorder.end() }
}
