import FirnSystem

/// Runs a server in its own process as long as this object lives: ``SmallServer``, or a program that prints its port as
/// the last number of the first line that has one.
final class ServerProcess {
    let port: Int
    private let child: pid_t
    private let input: Int32

    init?(_ arguments: [String] = ["/proc/self/exe", "--child", "http-server"]) {
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
        var words = arguments.map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var child = pid_t()
        let status = posix_spawnp(&child, arguments[0], &actions, nil, words, environ)
        close(pipes[0])
        close(pipes[3])
        var text = ""
        var block = [UInt8](repeating: 0, count: 64)
        while status == 0, !text.contains(where: \.isNumber), case let count = read(pipes[2], &block, block.count),
            count > 0
        {
            text = String(decoding: block.prefix(count), as: UTF8.self)
        }
        close(pipes[2])
        self.child = child
        input = pipes[1]
        guard let port = text.split(whereSeparator: { !$0.isNumber }).last.flatMap({ Int($0) }) else {
            close(input)
            return nil
        }
        self.port = port
    }

    deinit {
        close(input)
        // SIGTERM may be blocked, since a child inherits the mask of the thread that starts it.
        kill(child, SIGKILL)
        var status: Int32 = 0
        waitpid(child, &status, 0)
    }
}
