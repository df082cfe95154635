import CFirnCodecs
import FirnImage
import FirnSync
import FirnSystem

/// The workers of one `firn-decoder`: starts its zygote when the first is needed, and keeps idle ones.
///
/// Lock order: none of its locks is held during a call to a worker.
final class DecoderService: Sendable {
    private struct State {
        var zygote: ZygoteProcess?
        var last: UInt64 = 0
        var idle: [WorkerConnection] = []
        var crashes = CrashMemory()
    }

    private let path: String
    private let state = Locked(State())
    /// Held while the zygote starts, so that a second one is not started beside it.
    private let starting = Locked<Void>(())

    private static let services = Locked<[String: DecoderService]>([:])
    /// The idle workers that are kept: more than cores would only take memory.
    private static let mostIdle = max(1, sysconf(Int32(clamping: _SC_NPROCESSORS_ONLN)))

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

    /// Ends the zygotes at the exit of the process, so that none outlives it and their CPU time is counted as its own.
    private static func endAll() {
        let services = services.withLock { Array($0.values) }
        let ended = services.map { service in
            service.state.withLock { state in
                defer { state.zygote = nil; state.idle = [] }
                return (zygote: state.zygote, idle: state.idle)
            }
        }
        // Order: all are told before the first is waited for, so that they end at the same time.
        for service in ended { service.zygote?.hangUp() }
        for service in ended { service.zygote?.waitForEnd() }
    }

    /// Returns an idle worker, or starts one.
    func worker(_ policy: WorkerPolicy) throws(ImageDecodingError) -> WorkerConnection {
        if policy.isKept, let worker = takeIdle(policy) { return worker }
        do {
            return try start(policy, zygote())
        } catch {
            // The program may have ended: another one gets a chance.
            state.withLock { $0.zygote = nil }
            return try start(policy, zygote())
        }
    }

    /// Keeps a worker that has decoded an image without an error, if it may decode another one.
    func giveBack(_ worker: WorkerConnection) {
        state.withLock { state in
            if state.idle.count < DecoderService.mostIdle { state.idle.append(worker) }
        }
    }

    // MARK: Crashes

    /// Why a call of a file is refused, because it ended workers before; `nil` if it is not.
    func refusal(of file: CrashMemory.Source, to call: CrashMemory.Call, _ limits: ImageLimits) -> ImageDecodingError? {
        state.withLock { $0.crashes.refusal(of: file, to: call, limits, at: .now) }
    }

    /// Whether any file is remembered, so that files need to be identified.
    var remembersCrashes: Bool { state.withLock { !$0.crashes.isEmpty } }

    /// Counts the end of a worker in the middle of a call, and remembers what it proves about the file.
    func note(_ end: WorkerEnd, of file: CrashMemory.Source?, during call: CrashMemory.Call, _ limits: ImageLimits) {
        if end.isDeath { DecoderDeaths.note() }
        guard let file, let evidence = end.evidence(limits) else { return }
        state.withLock { $0.crashes.note(evidence, end.error, of: file, during: call, at: .now) }
    }

    // MARK: Starting

    private func takeIdle(_ policy: WorkerPolicy) -> WorkerConnection? {
        state.withLock { state in
            let index = state.idle.lastIndex {
                $0.group == policy.group && $0.served < policy.imagesPerWorker && $0.mostMemory >= policy.mostMemory
            }
            return index.map { state.idle.remove(at: $0) }
        }
    }

    private func zygote() throws(ImageDecodingError) -> ZygoteProcess {
        try starting.withLock { _ throws(ImageDecodingError) in
            if let zygote = state.withLock({ $0.zygote }) { return zygote }
            let zygote = try ZygoteProcess(path: path)
            state.withLock { $0.zygote = zygote }
            return zygote
        }
    }

    private func start(_ policy: WorkerPolicy, _ zygote: ZygoteProcess) throws(ImageDecodingError) -> WorkerConnection {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return try WorkerConnection(zygote, number: number, policy)
    }
}
