import FirnSystem

/// Something that is closed until it is opened, once and for good.
///
/// A ``ScriptedServer`` waits at one in the middle of an answer, so that a test decides when it goes on.
public final class Gate: Sendable {
    /// A pipe, readable once the gate is open, so that a thread can wait for it and for a socket at the same time.
    let descriptor: Int32
    private let writing: Int32

    /// A closed gate.
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

    /// Opens the gate; does nothing if it is open.
    public func open() {
        var byte: UInt8 = 1
        // Nobody reads, so it stays readable; a full pipe is an open gate, too.
        _ = write(writing, &byte, 1)
    }

    /// Whether the gate is open.
    public var isOpen: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }
}
