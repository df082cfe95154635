import CFirnCodecs
import FirnSync
import FirnSystem

/// The running program `firn-decoder`, which starts workers. It ends when its socket is closed, with this object or
/// with the process.
///
/// Safety: the values do not change; any thread may send packets, which are atomic.
final class ZygoteProcess: Sendable {
    private let socket: Int32
    private let process: pid_t
    private let isStuck = Locked(false)

    /// Starts the program and waits until it replies.
    ///
    /// - Throws: ``WorkerEnd/silent``, or ``WorkerEnd/unavailable(_:)`` with the reason, if it does not; the end of the
    ///   watch.
    init(path: String, longest: Duration, _ watch: DecodingWatch) throws(WorkerEnd) {
        let (control, messages) = try SocketPair.two(second: SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
        defer { close(messages.own) }
        var started: pid_t = 0
        let error = ZygoteProcess.spawn(path, control: control.other, errors: messages.other, &started)
        close(control.other)
        close(messages.other)
        guard error == 0 else {
            close(control.own)
            throw .refused("\(path) cannot be run", error)
        }
        socket = control.own
        process = started
        let failure = try ZygoteProcess.hello(socket, longest, watch)
        guard let failure else { return }
        throw .unavailable("\(path) \(ZygoteProcess.loaderMessage(messages.own) ?? failure)")
    }

    /// Waits for the program's first packet; returns what is wrong with it, or `nil`.
    private static func hello(
        _ socket: Int32, _ longest: Duration, _ watch: DecodingWatch
    ) throws(WorkerEnd) -> String? {
        let latest = ContinuousClock.now + longest
        var waiting = pollfd(fd: socket, events: Int16(clamping: POLLIN), revents: 0)
        while poll(&waiting, 1, 20) != 1 {
            try watch.checkWorker()
            guard ContinuousClock.now < latest else { throw .silent }
        }
        var hello = firn_zygote_hello()
        let size = MemoryLayout<firn_zygote_hello>.size
        guard firn_packet_receive(socket, &hello, size, nil) == size else { return "ended when it was started" }
        return hello.version == UInt32(clamping: FIRN_WORKER_VERSION) ? nil : "is not of this build"
    }

    /// Returns the dynamic loader's message about a program that it cannot start, such as a missing library.
    private static func loaderMessage(_ socket: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 400)
        let count = read(socket, &bytes, bytes.count)
        guard count > 0 else { return nil }
        let text = String(printable: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") })
        let start = "error while loading shared libraries: "
        guard let range = text.firstRange(of: start) else { return nil }
        return "cannot be run: " + text[range.upperBound...]
    }

    /// Ends the program, and waits for it. The process may have been waited for by the program itself.
    deinit {
        hangUp()
        waitForEnd()
        close(socket)
    }

    /// Marks the program as stuck, so that ``waitForEnd()`` kills it at once.
    func giveUp() { isStuck.withLock { $0 = true } }

    /// Requests the end of the program, even if it is in use.
    func hangUp() { shutdown(socket, Int32(clamping: SHUT_WR)) }

    /// The time in which the program must end its workers. After that it is killed, and its workers with it.
    private static let endMilliseconds: Int32 = 1000

    /// Waits for the end of the program, after ``hangUp()``.
    func waitForEnd() {
        // The program's end of the socket is closed when it ends.
        var waiting = pollfd(fd: socket, events: 0, revents: 0)
        let longest = isStuck.withLock { $0 } ? 0 : ZygoteProcess.endMilliseconds
        if poll(&waiting, 1, longest) == 0 { FirnSystem.kill(process, SIGKILL) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR { continue }
    }

    /// Starts a worker.
    ///
    /// - Parameters:
    ///   - socket: the worker's end of its socket; the caller closes it.
    ///   - report: the zygote's end of the socket for the report about the worker; the caller closes it.
    /// - Returns: whether the request was sent.
    func start(_ request: firn_zygote_request, socket worker: Int32, report: Int32) -> Bool {
        var request = request
        return firn_packet_send(socket, &request, MemoryLayout<firn_zygote_request>.size, [worker, report], 2)
    }

    /// The variables that the program needs. It passes none of them to a worker.
    private static let variables: [String] = {
        var names = [
            "HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH",
            "FONTCONFIG_SYSROOT",
        ]
        #if DEBUG
        // The pipe to which a debug build of the program writes how workers crash.
        names.append("FIRN_DECODER_LOG")
        #endif
        return names
    }()

    /// Starts the program. Returns 0 or the system's error.
    private static func spawn(_ path: String, control: Int32, errors: Int32, _ process: inout pid_t) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard posix_spawn_file_actions_init(&actions) == 0, posix_spawnattr_init(&attributes) == 0 else {
            return ENOMEM
        }
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // Even a copy to the same number clears the close-on-exec flag.
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        posix_spawn_file_actions_adddup2(&actions, control, 3)
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(clamping: POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let environment = variables.compactMap { name in
            getenv(name).map { strdup("\(name)=\(String(cString: $0))") }
        }
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("firn-decoder"), nil]
        var texts: [UnsafeMutablePointer<CChar>?] = environment + [nil]
        defer { for text in words + texts { free(text) } }
        return posix_spawn(&process, path, &actions, &attributes, &words, &texts)
    }
}

/// The two ends of a socket, of which another process gets one.
struct SocketPair {
    let own: Int32
    let other: Int32

    private init(_ kind: UInt32) throws(WorkerEnd) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(clamping: kind | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .refused("no sockets")
        }
        (own, other) = (ends[0], ends[1])
    }

    /// Makes two sockets, the first one of packets.
    ///
    /// - Parameter second: the kind of the second one. Default: packets, too.
    /// - Throws: ``WorkerEnd/unavailable(_:)``.
    static func two(second: UInt32 = SOCK_SEQPACKET.rawValue) throws(WorkerEnd) -> (SocketPair, SocketPair) {
        let first = try SocketPair(SOCK_SEQPACKET.rawValue)
        do {
            return (first, try SocketPair(second))
        } catch {
            for end in [first.own, first.other] { close(end) }
            throw error
        }
    }
}
