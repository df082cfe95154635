import CFirnCodecs
import FirnImage
import FirnSystem

/// The running program `firn-decoder`, which starts workers.
///
/// It ends when its socket is closed: with this object, or with the process.
///
/// Safety: the values do not change; packets to a socket are sent whole, from any thread.
final class ZygoteProcess: Sendable {
    private let socket: Int32
    private let process: pid_t

    /// The longest that the program may take to load its libraries. It takes 20 to 40 ms.
    private static let startMilliseconds: Int32 = 10_000

    /// Starts the program and waits until it replies.
    init(path: String) throws(ImageDecodingError) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(clamping: SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else {
            throw WorkerEnd.unavailable("no descriptors").error
        }
        let started = ZygoteProcess.spawn(path, ends[1])
        close(ends[1])
        guard let started else {
            close(ends[0])
            throw WorkerEnd.unavailable("\(path) cannot be run").error
        }
        socket = ends[0]
        process = started
        var waiting = pollfd(fd: socket, events: Int16(clamping: POLLIN), revents: 0)
        var hello = firn_zygote_hello()
        guard poll(&waiting, 1, ZygoteProcess.startMilliseconds) == 1,
            firn_packet_receive(socket, &hello, MemoryLayout<firn_zygote_hello>.size, nil)
                == MemoryLayout<firn_zygote_hello>.size,
            hello.version == UInt32(clamping: FIRN_WORKER_VERSION)
        else {
            // Order: before it is waited for.
            FirnSystem.kill(process, SIGKILL)
            throw WorkerEnd.unavailable("\(path) is not of this build").error
        }
    }

    deinit { end() }

    /// Ends the program, and waits for it.
    ///
    /// Call it once. The process may have been waited for by the program itself.
    private func end() {
        close(socket)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR { continue }
    }

    /// Tells the program to end, even if it is in use. For the exit of the process.
    func hangUp() { shutdown(socket, Int32(clamping: SHUT_RDWR)) }

    /// Waits for the end of the program, after ``hangUp()``.
    func waitForEnd() {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR { continue }
    }

    /// Starts a worker.
    ///
    /// - Parameter end: the worker's end of its socket; stays the caller's.
    /// - Returns: whether the program has the request.
    func start(_ request: firn_zygote_request, end: Int32) -> Bool {
        var request = request
        var end = end
        return firn_packet_send(socket, &request, MemoryLayout<firn_zygote_request>.size, &end, 1)
    }

    /// Kills a worker, if it still runs.
    func kill(_ worker: UInt64) {
        var request = firn_zygote_request()
        request.call = FIRN_ZYGOTE_KILL.rawValue
        request.worker = worker
        _ = firn_packet_send(socket, &request, MemoryLayout<firn_zygote_request>.size, nil, 0)
    }

    /// The variables that name fonts, which the program passes to no worker.
    private static let variables = [
        "HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH",
        "FONTCONFIG_SYSROOT",
    ]

    private static func spawn(_ path: String, _ control: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard posix_spawn_file_actions_init(&actions) == 0, posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // A copy to the same number clears the flag that closes it.
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
        var process: pid_t = 0
        return posix_spawn(&process, path, &actions, &attributes, &words, &texts) == 0 ? process : nil
    }
}
