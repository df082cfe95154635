#if GTK
import FirnSystem

/// Runs executables of this package in the build folder of the tests.
enum ScenePlayer {
    struct Outcome {
        /// The exit status; 128 plus the signal's number if a signal ended the process.
        let status: Int32
        let output: String
    }

    /// Returns the path of an executable in the build folder.
    private static func path(_ name: String) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let own = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own.prefix(upTo: own.lastIndex(of: "/") ?? own.startIndex) + "/\(name)"
    }

    /// Returns the names of all scenes.
    static func names() throws -> [String] {
        let outcome = try run("firn-gtk-scenes", [], variables: [])
        guard let list = outcome.output.split(separator: "\n").first(where: { $0.hasPrefix("scenes: ") }) else {
            throw SceneError(message: "no scenes: \(outcome.output)")
        }
        return list.dropFirst("scenes: ".count).split(separator: " ").map(String.init)
    }

    /// Plays a scene to its end on this display, with software painting.
    static func play(_ scene: String, on display: DisplayServer) throws -> Outcome {
        try run("firn-gtk-scenes", [scene], on: display)
    }

    /// Runs a program to its end on this display, with software painting.
    ///
    /// - Throws: ``SceneError`` with the warnings of GTK, GLib and libadwaita, if there are any.
    static func run(
        _ name: String, _ arguments: [String], on display: DisplayServer, variables: [String] = []
    ) throws -> Outcome {
        let outcome = try run(
            name, arguments,
            variables: variables + [
                "DISPLAY=\(display.name)", "GDK_BACKEND=x11", "GSK_RENDERER=cairo", "GTK_A11Y=test",
                "GSETTINGS_BACKEND=memory", "NO_AT_BRIDGE=1",
            ])
        let messages = ToolkitMessages.unexpected(in: outcome.output)
        if !messages.isEmpty {
            throw SceneError(message: "\(name) \(arguments):\n\(messages.joined(separator: "\n"))")
        }
        return outcome
    }

    /// Runs a program to its end.
    static func run(_ name: String, _ arguments: [String], variables: [String]) throws -> Outcome {
        let ends = try Spawn.pipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends.writing, 1)
        posix_spawn_file_actions_adddup2(&actions, ends.writing, 2)
        let process = try Spawn.start([path(name)] + arguments, &actions, variables: variables)
        close(ends.writing)
        defer { close(ends.reading) }
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(ends.reading, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            output += piece.prefix(count)
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return Outcome(
            status: status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F),
            output: String(decoding: output, as: UTF8.self))
    }
}
#endif
