package import FirnSystem

/// One of Firn's own threads: blocking and computing work never runs on Swift's cooperative threads.
package enum WorkerThread {
    /// Starts a detached thread that runs `body`.
    ///
    /// - Returns: whether the system created the thread.
    @discardableResult
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = startJoinable(body) else { return false }
        pthread_detach(thread)
        return true
    }

    /// Starts a thread that runs `body`, to be joined by the caller.
    ///
    /// - Returns: `nil` if the system created no thread.
    package static func startJoinable(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
        // Safety: the new thread takes over the reference that is retained here.
        let box = Unmanaged.passRetained(Body(run: body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        guard result == 0 else {
            box.release()
            return nil
        }
        return thread
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
