/// A signal on which a waiter sleeps: it sounds at a message.
final class RedisSignal: Sendable {
    /// Holds one sound for a waiter that comes later.
    private let (sounds, sounding) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    func sound() { sounding.yield() }

    /// Waits for the sound, at most for `limit`, and less if the task is cancelled. One waiter at a time.
    func wait(atMost limit: Duration) async {
        let timer = Task { [sounding] in
            do { try await Task.sleep(for: limit) } catch { return }
            sounding.yield()
        }
        defer { timer.cancel() }
        _ = await sounds.first { _ in true }
    }
}
