package import FirnSystem

/// The system started no thread, for example at a limit of processes (`RLIMIT_NPROC`, `pids.max`) or address space.
package struct ThreadShortage: Error, CustomStringConvertible {
    package init() {}

    package var description: String { "the system starts no thread; raise the limit of processes or of memory" }
}

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
        // A system at its limit may have a free thread a moment later.
        for _ in 0..<3 {
            let result = pthread_create(
                &thread, nil,
                { argument in
                    guard let argument else { return nil }
                    Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                }, box.toOpaque())
            if result == 0 { return thread }
            sched_yield()
        }
        box.release()
        return nil
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
