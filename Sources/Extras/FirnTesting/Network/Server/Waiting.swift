import FirnSystem

enum WaitResult {
    case ready
    /// The peer closed the connection.
    case left
    case stopped
    case timeout
}

/// Not in the C library's headers as imported by Swift.
private let POLLRDHUP: Int32 = 0x2000

extension Listener {
    /// Waits for events of a socket (none: only for its end), for one of some gates, or for the server's stop.
    func poll(_ descriptor: Int32, _ events: Int32, or gates: [Gate], milliseconds: Int32 = -1) -> WaitResult {
        var entries = [
            pollfd(fd: descriptor, events: Int16(events | POLLRDHUP), revents: 0),
            pollfd(fd: stopping.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        for gate in gates { entries.append(pollfd(fd: gate.descriptor, events: Int16(POLLIN), revents: 0)) }
        var count: Int32
        repeat {
            count = FirnSystem.poll(&entries, nfds_t(entries.count), milliseconds)
        } while count < 0 && errno == EINTR
        if count == 0 { return .timeout }
        if entries[1].revents != 0 { return .stopped }
        if entries.dropFirst(2).contains(where: { $0.revents != 0 }) { return .ready }
        let seen = Int32(entries[0].revents)
        // Bytes that were sent before the peer closed have still to be read.
        if seen & events != 0 { return .ready }
        return seen == 0 ? .timeout : .left
    }
}
