import FirnSystem

/// Runs a command and measures its CPU time and wall time.
struct ChildProcess {
    /// The resources and output of a command.
    struct Usage: Sendable {
        /// User and system time of all threads, in seconds.
        let cpu: Double
        let wall: Double
        /// The command's standard output.
        let output: String
    }

    /// Runs `arguments[0]`, found on the path, with `input` on its standard input.
    ///
    /// - Returns: `nil` if the command could not be started or failed.
    static func run(_ arguments: [String], input: String = "") -> Usage? {
        var pipes: [Int32] = [0, 0, 0, 0]
        guard pipe(&pipes[0..<2]), pipe(&pipes[2..<4]) else { return nil }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipes[0], 0)
        posix_spawn_file_actions_adddup2(&actions, pipes[3], 1)
        for descriptor in pipes { posix_spawn_file_actions_addclose(&actions, descriptor) }
        var words = arguments.map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var child = pid_t()
        let start = Stopwatch.wallNow
        let status = posix_spawnp(&child, arguments[0], &actions, nil, words, environ)
        close(pipes[0])
        close(pipes[3])
        guard status == 0 else {
            close(pipes[1])
            close(pipes[2])
            return nil
        }
        send(input, to: pipes[1])
        let output = receive(from: pipes[2])
        var usage = rusage()
        var exit: Int32 = 0
        guard wait4(child, &exit, 0, &usage) == child, exit == 0 else { return nil }
        let cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime)
        return Usage(cpu: cpu, wall: Stopwatch.wallNow - start, output: output)
    }

    private static func pipe(_ ends: inout ArraySlice<Int32>) -> Bool {
        ends.withUnsafeMutableBufferPointer { $0.baseAddress.map { FirnSystem.pipe($0) == 0 } ?? false }
    }

    private static func send(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            bytes = bytes.dropFirst(count)
        }
        close(descriptor)
    }

    private static func receive(from descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4096)
        while case let count = read(descriptor, &block, block.count), count > 0 { bytes += block[..<count] }
        close(descriptor)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}
