import CFirnCodecs
import FirnSync
import FirnSystem

/// The workers of one `firn-decoder`: starts its zygote when the first is needed, and keeps idle ones.
///
/// Lock order: none of its locks is held during a call to a worker.
final class DecoderService: Sendable {
    private struct State {
        var zygote: ZygoteProcess?
        /// True if a thread starts the zygote, so that a second one is not started beside it.
        var isStarting = false
        var idle: [WorkerConnection] = []
        var crashes = CrashMemory()
    }

    private let path: String
    private let state = Locked(State())
    private static let services = Locked<[String: DecoderService]>([:])
    /// The most idle workers that are kept. More threads than cores decode at a time, and each may use one worker for
    /// pixels and one for texts.
    private static let maximumIdle = 2 * max(4, sysconf(Int32(clamping: _SC_NPROCESSORS_ONLN)))

    private init(_ path: String) { self.path = path }

    /// Returns the service of a program, one for each path.
    static func service(of path: String) -> DecoderService {
        services.withLock { services in
            if let service = services[path] { return service }
            if services.isEmpty { atexit { DecoderService.endAll() } }
            let service = DecoderService(path)
            services[path] = service
            return service
        }
    }

    /// Returns the service for a codec under the standard isolation; `nil` if the codec is not isolated or the program
    /// is missing.
    static func standard(for codec: firn_codec) -> DecoderService? {
        let isolation = DecoderIsolation.standard
        guard isolation.isolates(FormatLibraries.format(of: codec)) else { return nil }
        return WorkerProgram.path(isolation, for: codec).map { service(of: $0) }
    }

    /// Ends the zygotes at the exit of the process, so that none outlives it and their CPU time is counted as its own.
    private static func endAll() {
        let services = services.withLock { Array($0.values) }
        let ended = services.map { service in
            service.state.withLock { state in
                defer { state.zygote = nil; state.idle = [] }
                return (zygote: state.zygote, idle: state.idle)
            }
        }
        // Order: signals all before waiting for the first, so that they end at the same time.
        for service in ended { service.zygote?.hangUp() }
        for service in ended { service.zygote?.waitForEnd() }
    }

    /// Returns an idle worker, or starts one.
    ///
    /// A zygote that ended, or does not respond for half of the remaining time, is replaced by another one. A worker
    /// that ends before it is ready is replaced once.
    ///
    /// - Parameter watch: ends the wait. Default: only the time limit of a start ends it.
    func worker(
        _ policy: WorkerPolicy, _ watch: DecodingWatch = DecodingWatch()
    ) throws(ImageError) -> WorkerConnection {
        if policy.isKept, let worker = takeIdle(policy) { return worker }
        let hasTime = watch.remaining != .zero
        do throws(WorkerEnd) {
            let zygote = try zygote(watch)
            do throws(WorkerEnd) {
                let half = watch.remaining.map { $0 / 2 } ?? DecoderService.longestStart
                return try WorkerConnection(zygote, policy, longest: min(half, DecoderService.longestStart), watch)
            } catch {
                switch error {
                case .unavailable, .silent: drop(zygote)
                // It has not seen a file yet. The system may have killed it for lack of memory.
                case .signal, .gone, .starved: break
                case .nonsense, .late, .cancelled, .unconfined: throw error
                }
            }
            return try WorkerConnection(self.zygote(watch), policy, longest: DecoderService.longestStart, watch)
        } catch {
            switch error {
            case .signal, .gone, .starved: throw WorkerEnd.unavailable("it ended when it started").error
            // The start took the time of the image.
            case .late where hasTime: throw WorkerEnd.silent.error
            case .nonsense, .late, .cancelled, .unconfined, .unavailable, .silent: throw error.error
            }
        }
    }

    /// Keeps a worker that has decoded an image without an error, if it may decode another one.
    func giveBack(_ worker: WorkerConnection, _ policy: WorkerPolicy) {
        guard policy.isKept, worker.end == nil, worker.served < policy.imagesPerWorker else { return }
        state.withLock { state in
            if state.idle.count < DecoderService.maximumIdle { state.idle.append(worker) }
        }
    }

    // MARK: Crashes

    /// Returns the error of a call for a file that ended workers before; `nil` if the call may be tried.
    func refusal(of file: CrashMemory.Source, to call: CrashMemory.Call, _ limits: ImageLimits) -> ImageError? {
        state.withLock { $0.crashes.refusal(of: file, to: call, limits, at: .now) }
    }

    /// True if any crash is remembered, so that files must be identified.
    var remembersCrashes: Bool { state.withLock { !$0.crashes.isEmpty } }

    /// Records the end of a worker in the middle of a call for a file.
    func note(_ end: WorkerEnd, of file: CrashMemory.Source?, during call: CrashMemory.Call, _ limits: ImageLimits) {
        guard let file, let evidence = end.evidence(limits) else { return }
        state.withLock { $0.crashes.note(evidence, end.error, of: file, during: call, at: .now) }
    }

    // MARK: Starting

    private func takeIdle(_ policy: WorkerPolicy) -> WorkerConnection? {
        while true {
            let worker = state.withLock { state -> WorkerConnection? in
                let index = state.idle.lastIndex {
                    $0.group == policy.group && $0.served < policy.imagesPerWorker
                        && $0.maximumMemory >= policy.maximumMemory
                }
                return index.map { state.idle.remove(at: $0) }
            }
            // If memory runs out, the system kills idle workers first.
            guard let worker, worker.hasEnded else { return worker }
        }
    }

    /// The longest time in which a zygote or a worker may start. They take 20 to 40 ms and 1 ms.
    private static let longestStart = Duration.seconds(10)

    /// Returns the zygote, and starts it if there is none.
    private func zygote(_ watch: DecodingWatch) throws(WorkerEnd) -> ZygoteProcess {
        enum Turn { case use(ZygoteProcess), start, wait }
        while true {
            let turn = state.withLock { state -> Turn in
                if let zygote = state.zygote { return .use(zygote) }
                guard !state.isStarting else { return .wait }
                state.isStarting = true
                return .start
            }
            switch turn {
            case .use(let zygote): return zygote
            case .wait:
                try watch.checkWorker()
                _ = poll(nil, 0, 1)
            case .start:
                defer { state.withLock { $0.isStarting = false } }
                let zygote = try ZygoteProcess(path: path, longest: DecoderService.longestStart, watch)
                state.withLock { $0.zygote = zygote }
                return zygote
            }
        }
    }

    /// Abandons a zygote that starts no workers. Its workers go on; it ends with the last of them.
    private func drop(_ zygote: ZygoteProcess) {
        zygote.giveUp()
        let idle = state.withLock { state -> [WorkerConnection] in
            if state.zygote === zygote { state.zygote = nil }
            // The idle workers are probably stuck for the same reason.
            let idle = state.idle.filter { $0.zygote === zygote }
            state.idle.removeAll { $0.zygote === zygote }
            return idle
        }
        // Order: they are released outside of the lock.
        withExtendedLifetime(idle) {}
    }
}

/// The number of workers that ended in the middle of an image.
package enum DecoderDeaths {
    private static let number = Locked(0)

    /// The number for all decoder programs since the start of the process.
    package static var count: Int { number.withLock { $0 } }

    static func note() { number.withLock { $0 += 1 } }
}
