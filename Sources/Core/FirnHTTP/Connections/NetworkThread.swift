import CFirnCurl
import FirnSync
import FirnSystem
import Synchronization

/// The thread that runs all transfers of the process: it waits for their sockets and timers, and calls their handlers.
///
/// It starts with the first transfer and stops when the process exits.
///
/// Safety: `inbox` is locked, `identity` is atomic, and any thread may ring `poll`; everything else is used on the
/// thread only.
final class NetworkThread: @unchecked Sendable {
    private struct Inbox {
        var works: [@Sendable () -> Void] = []
        var isAsleep = false
        var isStopped = false
    }

    private static let eventsInTurn = 64
    private static let startedThread = Locked<NetworkThread?>(nil)

    private let poll: OpaquePointer
    private let inbox = Locked(Inbox())
    private let hasStopped = ThreadSemaphore()
    /// The thread's number; 0 before it runs.
    private let identity = Atomic<UInt>(0)
    private var timers = TimerQueue()
    private var pools: [UInt32: ConnectionPool] = [:]
    private var lastPool: UInt32 = 0

    /// Returns the thread and starts it if needed.
    ///
    /// - Throws: ``/FirnData/DataLoadingError/Cause/connection`` if the system has no descriptors or threads left, or
    ///   no usable libcurl. A later call may succeed.
    static func shared() throws(DataLoadingError) -> NetworkThread {
        try startedThread.withLock { (known) throws(DataLoadingError) in
            if let known { return known }
            if let reason = firn_curl_start() {
                throw DataLoadingError(.connection, "no connection can be made: \(String(cString: reason))")
            }
            let shortage = FreeDescriptors.shortage(of: 8)
            guard shortage == nil, let poll = firn_poll_new() else {
                throw DataLoadingError(.connection, "no connection can be made: \(shortage ?? "no descriptors")")
            }
            let thread = NetworkThread(poll)
            guard WorkerThread.start({ thread.run() }) else {
                throw DataLoadingError(.connection, "no connection can be made: \(ThreadShortage())")
            }
            known = thread
            // Order: registered after libcurl and its TLS library have started, so that it runs before they shut down.
            atexit { NetworkThread.stop() }
            return thread
        }
    }

    private init(_ poll: OpaquePointer) { self.poll = poll }

    /// Stops the thread before the libraries that it uses shut down with the process.
    private static func stop() {
        guard let thread = startedThread.withLock({ $0 }), !thread.isCurrent else { return }
        thread.inbox.withLock { $0.isStopped = true }
        firn_poll_ring(thread.poll)
        _ = thread.hasStopped.wait(nanoseconds: 2_000_000_000)
    }

    // MARK: On any thread

    /// Runs work on the thread, after earlier work.
    func execute(_ work: @escaping @Sendable () -> Void) {
        let mustRing = inbox.withLock { inbox in
            inbox.works.append(work)
            defer { inbox.isAsleep = false }
            return inbox.isAsleep
        }
        if mustRing { firn_poll_ring(poll) }
    }

    /// True if the caller runs on this thread.
    var isCurrent: Bool { identity.load(ordering: .relaxed) == pthread_self() }

    // MARK: On the thread

    /// Runs work at a time of the monotonic clock.
    func schedule(at moment: Int64, _ work: @escaping () -> Void) -> TimerQueue.Ticket { timers.add(moment, work) }

    func cancel(_ ticket: TimerQueue.Ticket) { timers.cancel(ticket) }

    func join(_ pool: ConnectionPool) -> UInt32 {
        repeat { lastPool &+= 1 } while pools[lastPool] != nil
        pools[lastPool] = pool
        return lastPool
    }

    func leave(_ number: UInt32) { pools[number] = nil }

    /// Closes the connections of pools that are idle.
    func closeIdlePools() {
        for pool in pools.values { pool.closeIfIdle() }
    }

    func watch(_ descriptor: Int32, _ events: Int32, for number: UInt32) {
        firn_poll_watch(poll, descriptor, events, number)
    }

    /// Handles a descriptor that was opened or is about to be closed.
    func reset(_ descriptor: Int32, _ isOpen: Bool) { firn_poll_reset(poll, descriptor, isOpen) }

    private func run() {
        identity.store(pthread_self(), ordering: .relaxed)
        // Writing to a connection that its server closed must not end the process.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var events = [firn_poll_event](repeating: firn_poll_event(), count: NetworkThread.eventsInTurn)
        while runWorks() {
            let now = MonotonicClock.now()
            while let work = timers.take(until: now) { work() }
            for pool in pools.values {
                if let deadline = pool.deadline, deadline <= now { pool.act(nil) }
            }
            let found = firn_poll_wait(poll, &events, Int32(NetworkThread.eventsInTurn), patience())
            inbox.withLock { $0.isAsleep = false }
            for event in events.prefix(Int(max(0, found))) {
                pools[event.owner]?.act((event.descriptor, event.events))
            }
        }
        hasStopped.post()
    }

    /// Runs the pending work. Retains nothing of it while the thread sleeps.
    ///
    /// - Returns: `false` if the thread should stop.
    private func runWorks() -> Bool {
        let works: [@Sendable () -> Void]? = inbox.withLock { inbox in
            defer { inbox.works = [] }
            return inbox.isStopped ? nil : inbox.works
        }
        guard let works else { return false }
        for work in works { work() }
        return true
    }

    /// The time in milliseconds until the next timer; 0 if work is pending, -1 if there is neither.
    private func patience() -> Int32 {
        let hasWork = inbox.withLock { inbox in
            inbox.isAsleep = inbox.works.isEmpty && !inbox.isStopped
            return !inbox.isAsleep
        }
        if hasWork { return 0 }
        let moments = pools.values.compactMap(\.deadline) + [timers.next].compactMap(\.self)
        guard let first = moments.min() else { return -1 }
        let rest = max(0, first.saturatingAdd(-MonotonicClock.now()))
        return Int32(clamping: rest.saturatingAdd(999_999) / 1_000_000)
    }
}

/// The HTTP library.
package enum HTTPLibrary {
    /// The versions of libcurl and its libraries.
    package static var versions: String { String(cString: firn_curl_versions()) }
}

/// Work that is due at times of the monotonic clock, in nanoseconds.
///
/// A queue in order of time. Cancelled entries stay until due, without their work.
struct TimerQueue {
    typealias Ticket = UInt64

    private var line: [(moment: Int64, ticket: Ticket)] = []
    private var works: [Ticket: () -> Void] = [:]
    private var lastTicket: Ticket = 0

    /// The time of the next entry, cancelled or not; `nil` if there is none.
    var next: Int64? { line.first?.moment }

    mutating func add(_ moment: Int64, _ work: @escaping () -> Void) -> Ticket {
        lastTicket &+= 1
        works[lastTicket] = work
        line.insert((moment, lastTicket), at: line.firstPlace { $0.moment > moment })
        return lastTicket
    }

    mutating func cancel(_ ticket: Ticket) {
        works[ticket] = nil
        if line.count > 64, line.count > works.count * 2 { line.removeAll { works[$0.ticket] == nil } }
    }

    /// Takes the next work that is due. One at a time, since each may add or cancel others.
    mutating func take(until now: Int64) -> (() -> Void)? {
        while let first = line.first, first.moment <= now {
            line.removeFirst()
            if let work = works.removeValue(forKey: first.ticket) { return work }
        }
        return nil
    }
}
