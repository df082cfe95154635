import CFirnCodecs
import FirnSystem

/// The socket of one worker, and the memory shared with it.
///
/// Safety: guarded by its owner. While the worker decodes, the owner is the image's decoder, which one thread at a time
/// uses. While it is idle, the owner is the service, which guards it by its lock.
final class WorkerConnection: @unchecked Sendable {
    let group: firn_worker_group
    /// The most bytes of memory that the worker can get: its limit since the start.
    let maximumMemory: Int
    /// The images that the worker has decoded.
    private(set) var served = 0
    /// The inbox, and behind it the strip.
    let arena: SharedMemory
    /// The bytes of the inbox that have held data of the image.
    private var inboxUsed = 0
    var strip: UnsafeMutableRawPointer { arena.base + FIRN_ARENA_INBOX }
    /// Its workers end with it.
    let zygote: ZygoteProcess
    private let socket: Int32
    /// The descriptor on which the zygote reports the worker's end. The worker has no access to it.
    private let report: Int32
    /// The worker's process; -1 if the kernel has no descriptors of processes.
    private var process: Int32 = -1
    /// Why the worker is no longer used; `nil` while it is.
    private(set) var end: WorkerEnd?
    private var spin = firn_packet_spin()

    /// Starts a worker, and waits until it is confined.
    ///
    /// - Parameters:
    ///   - longest: the longest wait for the zygote.
    ///   - watch: ends the wait.
    /// - Throws: ``WorkerEnd/unavailable(_:)`` if the zygote starts none; ``WorkerEnd/silent`` if it does not respond.
    init(
        _ zygote: ZygoteProcess, _ policy: WorkerPolicy, longest: Duration, _ watch: DecodingWatch
    ) throws(WorkerEnd) {
        guard let arena = SharedMemory(length: FIRN_ARENA_LENGTH) else { throw .refused("no memory to share") }
        let (sockets, reports) = try SocketPair.two()
        self.zygote = zygote
        self.arena = arena
        group = policy.group
        maximumMemory = policy.maximumMemory
        socket = sockets.own
        report = reports.own
        _ = firn_packet_limit_wait(socket, WorkerConnection.tickMilliseconds)
        _ = firn_packet_limit_wait(report, WorkerConnection.reportMilliseconds)
        let request = firn_zygote_request(
            group: policy.group.rawValue, is_kept: policy.isKept ? 1 : 0, memory: UInt64(clamping: maximumMemory),
            seconds: UInt64(clamping: policy.maximumSeconds))
        let isSent = zygote.start(request, socket: sockets.other, report: reports.other)
        // Order: before the wait, which can notice the worker's end only if no other process has its socket.
        for end in [sockets.other, reports.other] { close(end) }
        guard isSent else { throw .unavailable("its zygote is gone") }
        try waitForStart(longest, watch)
    }

    deinit {
        // A worker may ignore the request to end.
        kill()
        for descriptor in [socket, report, process] where descriptor >= 0 { close(descriptor) }
    }

    /// Receives the worker's first packet, which it sends before it reads a request.
    private func waitForStart(_ longest: Duration, _ watch: DecodingWatch) throws(WorkerEnd) {
        let latest = ContinuousClock.now + longest
        var reply = firn_worker_reply()
        var descriptors = [Int32](repeating: -1, count: FIRN_PACKET_DESCRIPTORS)
        let size = MemoryLayout<firn_worker_reply>.size
        var count = firn_packet_receive(socket, &reply, size, &descriptors)
        while count == FIRN_PACKET_LATE {
            try watch.checkWorker()
            guard ContinuousClock.now < latest else { throw .silent }
            count = firn_packet_receive(socket, &reply, size, &descriptors)
        }
        process = descriptors[0]
        for descriptor in descriptors.dropFirst() where descriptor >= 0 { close(descriptor) }
        guard count == size else { throw reportedEnd() }
        switch reply.call {
        case FIRN_CALL_STARTED.rawValue: return
        case FIRN_CALL_UNCONFINED.rawValue: throw .unconfined(reply.text)
        default: throw .nonsense
        }
    }

    /// Copies bytes to the inbox from byte `offset` on.
    ///
    /// - Parameter bytes: at most as many as fit.
    func fillInbox(from offset: Int = 0, _ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.baseAddress else { return }
        (arena.base + offset).copyMemory(from: first, byteCount: bytes.count)
        inboxUsed = max(inboxUsed, offset + bytes.count)
    }

    /// Closes the image; the worker clears its memory or ends.
    func closeImage() {
        leaveImage(rowBytes: 0)
        var request = firn_worker_request(FIRN_CALL_CLOSE)
        guard end == nil,
            !firn_packet_send(socket, &request, MemoryLayout<firn_worker_request>.size, nil, 0)
        else { return }
        end = .gone
    }

    /// Counts an image that the worker has closed, and clears its bytes in shared memory.
    ///
    /// - Parameter rowBytes: the bytes of the strip that its last rows take.
    func leaveImage(rowBytes: Int) {
        served += 1
        // Order: here and not in the worker, which would clear bytes of the next image if it came late.
        arena.base.initializeMemory(as: UInt8.self, repeating: 0, count: inboxUsed)
        inboxUsed = 0
        strip.initializeMemory(as: UInt8.self, repeating: 0, count: min(max(rowBytes, 0), FIRN_ARENA_STRIP))
    }

    /// The longest wait between two checks of the cancellation flag and the clock.
    private static let tickMilliseconds: Int32 = 20

    /// Sends a request and waits for its reply.
    ///
    /// - Parameters:
    ///   - descriptors: sent with the request; the caller closes them.
    ///   - isSmall: whether to spin for the reply, which may take less time than waking a thread. Default: false.
    ///   - watch: ends the wait.
    /// - Returns: a reply to this call; nothing else in it is checked.
    /// - Throws: why the worker ended. It is unusable then.
    func call(
        _ request: firn_worker_request, _ descriptors: [Int32], isSmall: Bool = false, _ watch: DecodingWatch
    ) throws(WorkerEnd) -> firn_worker_reply {
        if let end { throw end }
        var request = request
        // Order: before each call, because replies may come so fast that the wait below never checks.
        do throws(WorkerEnd) { try watch.checkWorker() } catch { throw ended(error) }
        _ = firn_packet_send(
            socket, &request, MemoryLayout<firn_worker_request>.size, descriptors, Int32(clamping: descriptors.count))
        var reply = firn_worker_reply()
        let size = MemoryLayout<firn_worker_reply>.size
        var count =
            isSmall
            ? firn_packet_receive_spinning(socket, &reply, size, nil, &spin)
            : firn_packet_receive(socket, &reply, size, nil)
        while count == FIRN_PACKET_LATE {
            do throws(WorkerEnd) { try watch.checkWorker() } catch { throw ended(error) }
            count = firn_packet_receive(socket, &reply, size, nil)
        }
        guard count == size else { throw ended(count == 0 ? reportedEnd() : .nonsense) }
        guard reply.call == request.call else { throw ended(.nonsense) }
        return reply
    }

    /// Reads bytes that may not fit into one reply: those of `reply`, then the rest by further calls.
    ///
    /// - Parameters:
    ///   - length: the number of all bytes.
    ///   - call: the call for further bytes, whose `first` is the number of bytes already read.
    ///   - take: receives the bytes, in order.
    func take(
        _ length: Int, _ reply: firn_worker_reply, _ call: firn_worker_call, _ watch: DecodingWatch,
        _ take: (UnsafeRawBufferPointer) -> Void
    ) throws(WorkerEnd) {
        var (reply, received) = (reply, 0)
        while true {
            let count = Int(reply.done)
            guard count <= FIRN_ARENA_STRIP, count <= length - received else { throw .nonsense }
            take(UnsafeRawBufferPointer(start: strip, count: count))
            received += count
            if received == length { return }
            guard count > 0 else { throw .nonsense }
            reply = try self.call(firn_worker_request(call, first: received), [], watch)
            guard reply.status == 0 else { throw .nonsense }
        }
    }

    // MARK: The end

    /// True if an idle worker has ended.
    var hasEnded: Bool {
        var ended = pollfd(fd: socket, events: Int16(truncatingIfNeeded: POLLIN), revents: 0)
        return end != nil || poll(&ended, 1, 0) != 0
    }

    /// The time in which the zygote must report the end of a worker that has closed its socket.
    private static let reportMilliseconds: Int32 = 1000

    /// The time to wait for the crash of a worker whose replies make no sense.
    private static let crashMilliseconds: Int32 = 250

    /// Returns how the worker ended, as the zygote reports it.
    private func reportedEnd() -> WorkerEnd {
        var reply = firn_worker_reply()
        let size = MemoryLayout<firn_worker_reply>.size
        let count = firn_packet_receive(report, &reply, size, nil)
        guard count == size else { return count == 0 ? .unavailable("its zygote is gone") : .gone }
        let message = reply.text
        return message.isEmpty ? WorkerEnd(waitStatus: reply.status) : .unavailable(message)
    }

    /// Kills the worker by its descriptor, or through the zygote if there is none.
    private func kill() {
        guard process < 0 || !firn_process_kill(process) else { return }
        shutdown(report, Int32(clamping: SHUT_WR))
    }

    /// Marks the worker as unusable, kills it and counts its death.
    ///
    /// - Returns: how it ended. A worker whose replies make no sense often crashes next, which is the better reason.
    @discardableResult
    func ended(_ end: WorkerEnd) -> WorkerEnd {
        if let end = self.end { return end }
        var end = end
        if end == .nonsense {
            _ = firn_packet_limit_wait(report, WorkerConnection.crashMilliseconds)
            if case .signal(let number) = reportedEnd() { end = .signal(number) }
        }
        self.end = end
        if end.isDeath { DecoderDeaths.note() }
        kill()
        return end
    }
}

extension firn_worker_request {
    /// Creates a request without arguments, or with the first one of what it asks for.
    init(_ call: firn_worker_call, first: Int = 0) {
        self.init()
        self.call = call.rawValue
        self.first = UInt64(clamping: first)
    }

    /// Sets a flag, `FIRN_REQUEST_…`.
    mutating func add(_ flag: Int) { flags |= UInt32(clamping: flag) }

    /// Sends the descriptor of shared memory along, unless the worker has it.
    mutating func share(_ memory: SharedMemory, _ descriptors: inout [Int32]) {
        guard memory.descriptor >= 0 else { return }
        add(FIRN_REQUEST_HAS_MEMORY)
        descriptors.append(memory.descriptor)
    }
}

extension firn_worker_reply {
    /// The message: printable ASCII, whatever the worker sent.
    var text: String { withUnsafeBytes(of: message) { String(printable: $0.prefix { $0 != 0 }) } }
}

extension String {
    /// Creates a string of printable ASCII, with a question mark for every other byte.
    init(printable bytes: some Sequence<UInt8>) {
        self.init(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
