#if GTK
import FirnSystem

/// An X server without a screen, on a free display. It ends with this object, and with this process however that ends.
final class DisplayServer {
    /// The value of `DISPLAY`.
    let name: String
    private let process: pid_t
    /// A pipe that ends the server: a shell beside it reads the other end, and ends the server when this end is closed,
    /// by this object or by the system after a crash.
    private let leash: Int32

    /// Starts a server and waits until it accepts connections.
    init() throws {
        let ends = try Spawn.pipe()
        defer { close(ends.reading) }
        let leash = try Spawn.pipe()
        self.leash = leash.writing
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The server writes the number of its display to descriptor 3 once it is ready.
        posix_spawn_file_actions_adddup2(&actions, leash.reading, 0)
        posix_spawn_file_actions_adddup2(&actions, ends.writing, 3)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        let server = "Xvfb -displayfd 3 -screen 0 1280x1024x24 -nolisten tcp"
        // Order: the shell closes descriptor 3; otherwise the line would never end if there is no server.
        let words = ["sh", "-c", "\(server) </dev/null & exec 3>&-; read line; kill $!; wait"]
        process = try Spawn.start(words, &actions, passed: 4)
        close(ends.writing)
        close(leash.reading)
        guard let number = DisplayServer.readNumber(ends.reading) else {
            close(leash.writing)
            waitpid(process, nil, 0)
            throw SceneError(message: "Xvfb did not start (is the package xvfb installed?)")
        }
        name = ":\(number)"
    }

    deinit {
        close(leash)
        waitpid(process, nil, 0)
    }

    /// Reads the line that the server writes, within 20 s.
    private static func readNumber(_ descriptor: Int32) -> Int? {
        var text = ""
        while !text.hasSuffix("\n") {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 20_000) == 1 else { return nil }
            var byte: UInt8 = 0
            guard read(descriptor, &byte, 1) == 1 else { return nil }
            text.unicodeScalars.append(Unicode.Scalar(byte))
        }
        return Int(text.dropLast())
    }
}
#endif
