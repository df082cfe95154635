import FirnSystem

/// An X server without a screen, on a display that was free. Ends with this object, and with this process however that ends.
final class DisplayServer {
    /// What `DISPLAY` has to be.
    let name: String
    private let process: pid_t
    /// The server's leash: a shell beside it reads from the other end and ends it when this one is closed, by this object or by
    /// the system after a crash.
    private let leash: Int32

    /// Starts a server and waits until it takes connections.
    init() throws {
        let ends = try Spawn.pipe()
        defer { close(ends.reading) }
        let leash = try Spawn.pipe()
        self.leash = leash.writing
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The server writes the number of the display it took to descriptor 3 once it is ready.
        posix_spawn_file_actions_adddup2(&actions, leash.reading, 0)
        posix_spawn_file_actions_adddup2(&actions, ends.writing, 3)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        let server = "Xvfb -displayfd 3 -screen 0 1280x1024x24 -nolisten tcp"
        // Order: the shell lets go of 3, or the line would never be seen to end where there is no server.
        let words = ["sh", "-c", "\(server) </dev/null & exec 3>&-; read line; kill $!; wait"]
        process = try Spawn.start(words, &actions)
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

    /// The line that the server writes, within 20 s.
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
