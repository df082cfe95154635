import FirnSync
import FirnSystem

/// Threads for work that blocks: lookups of names, and files of a cache. Started when they are needed, and ended after
/// a while without work.
enum BlockingThreads {
    /// More than the disk or the resolver serves at once.
    private static let limit = 16
    private static let idleSeconds = 10

    private struct Line {
        var works: [@Sendable () -> Void] = []
        var first = 0
        var threads = 0
        var idle = 0

        mutating func take() -> (@Sendable () -> Void)? {
            guard first < works.count else { return nil }
            defer {
                first += 1
                if first == works.count { (works, first) = ([], 0) }
            }
            return works[first]
        }
    }

    private static let line = Locked(Line())
    private static let bell = ThreadSemaphore()

    /// Runs work on one of the threads; on the caller's if the system starts none.
    static func submit(_ work: @escaping @Sendable () -> Void) {
        let needsThread = line.withLock { line in
            line.works.append(work)
            guard line.idle < line.works.count - line.first, line.threads < limit else { return false }
            line.threads += 1
            return true
        }
        guard needsThread else { return bell.post() }
        if WorkerThread.start({ serve() }) { return }
        let isAlone = line.withLock { line in
            line.threads -= 1
            return line.threads == 0
        }
        if isAlone { runAll() } else { bell.post() }
    }

    private static func serve() {
        while true {
            runAll()
            line.withLock { $0.idle += 1 }
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            time.tv_sec += idleSeconds
            let isRung = bell.wait(until: time)
            let goesOn = line.withLock { line in
                line.idle -= 1
                if isRung || line.first < line.works.count { return true }
                line.threads -= 1
                return false
            }
            guard goesOn else { return }
        }
    }

    private static func runAll() {
        while let work = line.withLock({ $0.take() }) { work() }
    }
}
