#if GTK
import FirnSystem
import Synchronization

/// An error in the setup of a test.
struct SceneError: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
}

/// Starts programs.
enum Spawn {
    /// Serializes starts: a program started by another thread while a pipe is half made would keep its ends open.
    private static let starting = Mutex(())

    /// Returns a pipe whose ends started programs do not inherit by default.
    static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        try starting.withLock { _ throws(SceneError) in
            guard FirnSystem.pipe(&ends) == 0 else { throw SceneError(message: "no pipe: \(errno)") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        }
        return (ends[0], ends[1])
    }

    /// Starts a program that is found in the path, with additional environment variables.
    ///
    /// - Parameter passed: the number of descriptors that the program gets, from 0 on. It must get no other: a
    ///   connection of another test would stay open as long as the program runs.
    static func start(
        _ words: [String], _ actions: inout posix_spawn_file_actions_t, passed: Int32 = 3, variables: [String] = []
    ) throws -> pid_t {
        // Closing what is not open is not an error (POSIX leaves that to the system; glibc ignores it).
        for descriptor in passed..<4096 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        let arguments = words.map { strdup($0) } + [nil]
        let names = variables.map { $0.prefix { $0 != "=" } + "=" }
        var inherited: [String] = []
        var entry = environ
        while let text = entry.pointee {
            inherited.append(String(cString: text))
            entry += 1
        }
        let kept = inherited.filter { variable in !names.contains { variable.hasPrefix($0) } }
        let environment = (kept + variables).map { strdup($0) } + [nil]
        defer { (arguments + environment).forEach { free($0) } }
        // The test threads may block signals; the started programs must not.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var process = pid_t()
        let code = starting.withLock { _ in
            posix_spawnp(&process, words[0], &actions, &attributes, arguments, environment)
        }
        guard code == 0 else {
            throw SceneError(message: "cannot start \(words[0]): \(String(cString: strerror(code)))")
        }
        return process
    }
}
#endif
