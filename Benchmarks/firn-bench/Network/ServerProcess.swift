import FirnSystem

/// Runs ``SmallServer`` in its own process as long as this object lives.
final class ServerProcess {
    let port: Int
    private let child: pid_t
    private let input: Int32

    init?() {
        var pipes: [Int32] = [0, 0, 0, 0]
        let isProcessed = pipes.withUnsafeMutableBufferPointer { ends in
            ends.baseAddress.map { pipe($0) == 0 && pipe($0 + 2) == 0 } ?? false
        }
        guard isProcessed else { return nil }
        for end in pipes { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipes[0], 0)
        posix_spawn_file_actions_adddup2(&actions, pipes[3], 1)
        let arguments: [String] = ["firn-bench", "--child", "http-server"]
        var words = arguments.map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var child = pid_t()
        let status = posix_spawn(&child, "/proc/self/exe", &actions, nil, words, environ)
        close(pipes[0])
        close(pipes[3])
        var block = [UInt8](repeating: 0, count: 64)
        let count = status == 0 ? read(pipes[2], &block, block.count) : 0
        close(pipes[2])
        self.child = child
        input = pipes[1]
        let text = String(decoding: block.prefix(max(0, count)), as: UTF8.self)
        guard let port = Int(text.filter { $0.isNumber }) else {
            close(input)
            return nil
        }
        self.port = port
    }

    deinit {
        close(input)
        var status: Int32 = 0
        waitpid(child, &status, 0)
    }
}
