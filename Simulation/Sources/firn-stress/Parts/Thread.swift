import FirnSystem

/// Starts threads of the test.
enum Thread {
    static func start(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Box(body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        guard result == 0 else { fatalError("no thread: \(result)") }
        pthread_detach(thread)
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}

final class Bell: @unchecked Sendable {
    // Safety: any thread may use the system's semaphore.
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func ring() { sem_post(semaphore) }

    func wait() { while sem_wait(semaphore) != 0 {} }

    /// - Returns: whether the semaphore was posted within the time.
    func wait(seconds: Int) -> Bool {
        var limit = timespec()
        clock_gettime(CLOCK_REALTIME, &limit)
        limit.tv_sec += seconds
        while sem_timedwait(semaphore, &limit) != 0 { if errno == ETIMEDOUT { return false } }
        return true
    }
}
