import FirnSync
import NIOCore

/// A signal on which a waiter sleeps: it sounds at a message.
final class RedisSignal: Sendable {
    private struct State {
        /// It has sounded, and nobody has waited since then.
        var hasSounded = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    func sound() {
        let waiter = state.withLock { state in
            state.hasSounded = state.waiter == nil
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits for the sound, at most for `limit`, and less if the task is cancelled. One waiter at a time.
    func wait(atMost limit: Duration) async {
        let timer = Task { [weak self] in
            do { try await Task.sleep(for: limit) } catch { return }
            self?.sound()
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.hasSounded || Task.isCancelled || state.waiter != nil {
                        state.hasSounded = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            sound()
        }
    }
}
