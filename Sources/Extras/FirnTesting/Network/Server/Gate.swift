import FirnSystem

/// A gate that is opened once.
///
/// A ``ScriptedServer`` waits at a gate within a response until the test opens it.
public final class Gate: Sendable {
    /// A pipe, readable once the gate is open, so that a thread can wait for it and for a socket at the same time.
    let descriptor: Int32
    private let writing: Int32

    /// Creates a closed gate.
    public init() {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        (descriptor, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(descriptor)
        close(writing)
    }

    /// Opens the gate. Does nothing if it is open.
    public func open() {
        var byte: UInt8 = 1
        // The byte is never read, so the pipe stays readable. A full pipe is an open gate, too.
        _ = write(writing, &byte, 1)
    }

    /// True if the gate is open.
    public var isOpen: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }
}
