import FirnSystem

/// Runs `body`, which may block, on its own thread: Swift and Dispatch share a few threads, and tests that block all of
/// them deadlock.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let box = Unmanaged.passRetained(ThreadBody { continuation.resume(with: Result { try body() }) })
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        pthread_detach(thread)
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
