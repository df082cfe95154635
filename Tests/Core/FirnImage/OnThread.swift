import FirnSync

/// Runs `body`, which may block, on its own thread: Swift and Dispatch share a few threads, and tests that block all of
/// them deadlock.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        WorkerThread.start { continuation.resume(with: Result { try body() }) }
    }
}
