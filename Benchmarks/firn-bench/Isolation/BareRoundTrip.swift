import FirnSystem

/// Packets of the size of the protocol's, to another process and back: what this machine takes for two processes that
/// take turns, without any work.
///
/// A decode of a tiny image in a kept process is two such round trips.
enum BareRoundTrip {
    private static let request = 136
    private static let reply = 544
    private static let socket: Int32 = 3
    private static let packets = 4000

    /// Returns the microseconds of two round trips; `nil` if the other process does not start.
    static func measure() -> Double? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            return nil
        }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], socket)
        var words: [UnsafeMutablePointer<CChar>?] = []
        for word in [CommandLine.arguments[0], "--child", "isolation-echo"] { words.append(strdup(word)) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var child = pid_t()
        let status = posix_spawnp(&child, CommandLine.arguments[0], &actions, nil, &words, environ)
        close(ends[1])
        guard status == 0 else { return nil }
        defer {
            shutdown(ends[0], Int32(SHUT_RDWR))
            var exit: Int32 = 0
            waitpid(child, &exit, 0)
        }
        var packet = [UInt8](repeating: 0, count: reply)
        // The first one waits until the process runs.
        guard turn(ends[0], &packet) else { return nil }
        let start = Stopwatch.wallNow
        for _ in 0..<packets { guard turn(ends[0], &packet) else { return nil } }
        return (Stopwatch.wallNow - start) / Double(packets) * 2e6
    }

    private static func turn(_ socket: Int32, _ packet: inout [UInt8]) -> Bool {
        send(socket, &packet, request, 0) == request && recv(socket, &packet, reply, 0) == reply
    }

    /// The other process: replies until the socket is closed.
    static func echo() {
        var packet = [UInt8](repeating: 0, count: reply)
        while recv(socket, &packet, reply, 0) == request, send(socket, &packet, reply, 0) == reply { continue }
    }
}
