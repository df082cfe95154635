import FoundationEssentials
import FirnSystem

/// An executable of this package in the build folder of the tests.
struct BuiltCommand {
    /// The result of a run.
    struct Outcome {
        /// The exit status; 128 plus the signal's number if a signal ended the process.
        let status: Int32
        let output: String
        let errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
        var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
    }

    /// The path of the executable.
    let path: String

    /// Creates the command with this name in the folder of the running tests.
    init(_ name: String) {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let own = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = own.prefix(upTo: own.lastIndex(of: "/") ?? own.startIndex) + "/\(name)"
    }

    /// Creates a command at another path.
    init(at path: String) { self.path = path }

    /// Runs the command to its end; one that does not end within a minute is ended, with status 124 or 137.
    ///
    /// - Parameters:
    ///   - folder: the working directory.
    ///   - shell: shell commands to run before the command.
    ///   - limit: the arguments of `timeout`.
    func run(_ arguments: [String], in folder: Scratch, shell: String = "", limit: String = "-k 5 60") throws -> Outcome
    {
        let output = folder.path("stdout-\(folder.number())")
        let errors = folder.path("stderr-\(folder.number())")
        let quoted = ([path] + arguments).map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
        let script = "cd '\(folder.root)' && \(shell.isEmpty ? "" : "\(shell); ")exec timeout \(limit) \(quoted)"
        let status = try spawn(["/bin/sh", "-c", script], output: output, errors: errors)
        defer {
            unlink(output)
            unlink(errors)
        }
        return Outcome(status: status, output: try folder.text(output), errors: try folder.text(errors))
    }

    /// Starts the command. The caller must end it and wait for it. Its output is discarded.
    func start(_ arguments: [String], in folder: Scratch) throws -> pid_t {
        let quoted = ([path] + arguments).map { "'" + $0.replacing("'", with: "'\\''") + "'" }.joined(separator: " ")
        // Other tests have descriptors open that the program would inherit.
        let closing = "for d in /proc/$$/fd/*; do d=${d##*/}; [ $d -le 2 ] || eval \"exec $d>&-\"; done"
        let script = "\(closing); cd '\(folder.root)' && exec \(quoted)"
        return try launch(["/bin/bash", "-c", script], output: "/dev/null", errors: "/dev/null")
    }

    private func spawn(_ words: [String], output: String, errors: String) throws -> Int32 {
        let process = try launch(words, output: output, errors: errors)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    private func launch(_ words: [String], output: String, errors: String) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        // The starting thread may have signals blocked, as those of Swift's pool do; the command starts with none
        // blocked.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var process = pid_t()
        let code = posix_spawn(&process, words[0], &actions, &attributes, arguments, environ)
        guard code == 0 else {
            throw ScratchError(message: "cannot start \(words): \(String(cString: strerror(code)))")
        }
        return process
    }
}
