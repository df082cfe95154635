import CFirnCodecs
import FirnImage
import FirnSystem

/// The socket of one worker, and the memory that it shares.
///
/// Safety: its owner guards it. While it decodes, the owner is the image's decoder, which one thread at a time uses.
/// While it is idle, the owner is the service, which keeps it under its lock.
final class WorkerConnection: @unchecked Sendable {
    let group: firn_worker_group
    /// The most memory that the worker can be given, in bytes: its limit from the start.
    let mostMemory: Int
    /// The images that the worker has decoded.
    private(set) var served = 0
    /// The inbox, and behind it the strip.
    let arena: SharedMemory
    /// The bytes of the inbox that hold something of the image.
    private var inboxUsed = 0
    var strip: UnsafeMutableRawPointer { arena.base + FIRN_ARENA_INBOX }
    private let zygote: ZygoteProcess
    private let number: UInt64
    private let socket: Int32
    /// Why the worker is not used any more.
    private(set) var end: WorkerEnd?
    /// Whether the worker has a request that it has not replied to.
    private var isBusy = false
    private var spin = firn_packet_spin()

    /// Starts a worker. A worker that does not come to life is noticed at the first request.
    init(_ zygote: ZygoteProcess, number: UInt64, _ policy: WorkerPolicy) throws(ImageDecodingError) {
        guard let arena = SharedMemory(length: FIRN_ARENA_LENGTH) else {
            throw WorkerEnd.unavailable("no memory").error
        }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(clamping: SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else {
            throw WorkerEnd.unavailable("no descriptors").error
        }
        defer { close(ends[1]) }
        self.zygote = zygote
        self.number = number
        self.arena = arena
        group = policy.group
        mostMemory = policy.mostMemory
        socket = ends[0]
        _ = firn_packet_limit_wait(socket, WorkerConnection.tickMilliseconds)
        var request = firn_zygote_request()
        request.call = FIRN_ZYGOTE_START.rawValue
        request.group = policy.group.rawValue
        request.worker = number
        request.memory = UInt64(clamping: mostMemory)
        request.seconds = UInt64(clamping: policy.mostSeconds)
        request.is_kept = policy.isKept ? 1 : 0
        guard zygote.start(request, end: ends[1]) else { throw WorkerEnd.unavailable("its zygote is gone").error }
    }

    deinit {
        // An idle worker ends by itself when its socket is closed.
        if isBusy { zygote.kill(number) }
        close(socket)
    }

    /// Copies bytes to the inbox from byte `offset` on.
    ///
    /// - Parameter bytes: at most as many as fit.
    func fillInbox(from offset: Int = 0, _ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.baseAddress else { return }
        (arena.base + offset).copyMemory(from: first, byteCount: bytes.count)
        inboxUsed = max(inboxUsed, offset + bytes.count)
    }

    /// Tells the worker that the image is done; it clears its memory, or ends.
    func closeImage() {
        leaveImage(rowBytes: 0)
        var request = firn_worker_request()
        request.call = FIRN_CALL_CLOSE.rawValue
        guard end == nil,
            !firn_packet_send(socket, &request, MemoryLayout<firn_worker_request>.size, nil, 0)
        else { return }
        end = .gone
    }

    /// Notes that the worker has closed the image by itself, and clears what it left.
    ///
    /// - Parameter rowBytes: the bytes of the strip that its last rows take.
    func leaveImage(rowBytes: Int) {
        served += 1
        // Order: here and not in the worker, which would clear bytes of the next image if it came late.
        arena.base.initializeMemory(as: UInt8.self, repeating: 0, count: inboxUsed)
        inboxUsed = 0
        strip.initializeMemory(as: UInt8.self, repeating: 0, count: min(max(rowBytes, 0), FIRN_ARENA_STRIP))
    }

    /// The longest wait between two looks at the cancellation flag and the clock.
    private static let tickMilliseconds: Int32 = 20

    /// Sends a request and waits for its reply.
    ///
    /// - Parameters:
    ///   - descriptors: go with the request; stay the caller's.
    ///   - isSmall: whether to spin for the reply, which may take less time than waking a thread. Default: false.
    ///   - watch: ends the wait.
    /// - Returns: a reply to this very call; nothing else in it is checked.
    /// - Throws: why the worker ended; it is dead then.
    func call(
        _ request: firn_worker_request, _ descriptors: [Int32], isSmall: Bool = false, _ watch: RemoteWatch
    ) throws(WorkerEnd) -> firn_worker_reply {
        if let end { throw end }
        var request = request
        // A worker that ended before the request left a message about it.
        _ = firn_packet_send(
            socket, &request, MemoryLayout<firn_worker_request>.size, descriptors, Int32(clamping: descriptors.count))
        isBusy = true
        var reply = firn_worker_reply()
        let size = MemoryLayout<firn_worker_reply>.size
        var count =
            isSmall
            ? firn_packet_receive_spinning(socket, &reply, size, nil, &spin)
            : firn_packet_receive(socket, &reply, size, nil)
        while count == FIRN_PACKET_LATE {
            do throws(WorkerEnd) { try watch.check() } catch { throw ended(error) }
            count = firn_packet_receive(socket, &reply, size, nil)
        }
        guard count == size else { throw ended(count == 0 ? .gone : .nonsense) }
        switch reply.call {
        case request.call:
            isBusy = false
            return reply
        case FIRN_CALL_ENDED.rawValue:
            let message = reply.text
            throw ended(message.isEmpty ? WorkerEnd(waitStatus: reply.status) : .unavailable(message))
        case FIRN_CALL_STARVED.rawValue: throw ended(.starved)
        case FIRN_CALL_UNCONFINED.rawValue: throw ended(.unconfined(reply.text))
        default: throw ended(.nonsense)
        }
    }

    /// Marks the worker as unusable and kills it.
    @discardableResult
    func ended(_ end: WorkerEnd) -> WorkerEnd {
        self.end = end
        zygote.kill(number)
        isBusy = false
        return end
    }
}

extension firn_worker_reply {
    /// The message: printable ASCII, whatever the worker sent.
    var text: String {
        withUnsafeBytes(of: message) { bytes in
            String(
                decoding: bytes.prefix { $0 != 0 }.map { $0 < 0x20 || $0 > 0x7E ? UInt8(ascii: "?") : $0 },
                as: UTF8.self)
        }
    }
}
