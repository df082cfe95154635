#if GTK
import FirnSystem

/// Runs blocking code on its own thread, because concurrent tests share a few threads.
enum OwnThread {
    /// Runs `body` on its own thread and returns its result.
    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let box = Unmanaged.passRetained(Box { continuation.resume(with: Result { try body() }) })
            var thread = pthread_t()
            let code = pthread_create(
                &thread, nil,
                { argument in
                    if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().run() }
                    return nil
                }, box.toOpaque())
            guard code == 0 else {
                box.release()
                return continuation.resume(throwing: SceneError(message: "no thread: \(code)"))
            }
            pthread_detach(thread)
        }
    }

    private final class Box: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
#endif
