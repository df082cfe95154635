import FirnSync
import Synchronization

/// Stores the bytes of cancelled transfers, so that a later transfer of the same request continues from them.
///
/// The shell of ``PartialBodies``: adds a lock and a clock. The key is the sent request, so that a reload finds the
/// bytes and drops them. Buffers are released without the lock, since they may belong to a loader.
final class PartialBodyStore: Sendable {
    private let bodies: Locked<PartialBodies<DataRequest, PartialBody>>
    private let clock: @Sendable () -> Moment
    /// The first bytes of transfers on disk, including those of earlier processes; `nil` if there is no cache for
    /// them.
    let segments: PartialSegmentCache?
    /// True if there is a cache for them; read without a copy of it.
    let hasSegments: Bool
    private let resumedFromDisk = Atomic<Int>(0)
    /// True if there are no bodies in memory. Read without the lock.
    ///
    /// Order: cleared before `keep` returns, so that a later `take` takes the lock.
    private let isEmpty = Atomic<Bool>(true)

    init(limits: PartialLimits, segments: PartialSegmentCache? = nil, clock: @escaping @Sendable () -> Moment) {
        bodies = Locked(PartialBodies(limits: limits))
        self.segments = segments
        hasSegments = segments != nil
        self.clock = clock
    }

    /// The number of bytes that were dropped unused, and of bytes that transfers continued from.
    var totals: (wasted: Int, resumed: Int) {
        let (wasted, resumed) = bodies.withLock { ($0.wasted, $0.resumed) }
        return (wasted, resumed + resumedFromDisk.load(ordering: .relaxed))
    }

    var bytes: Int { bodies.withLock { $0.bytes } }

    func keep(_ body: PartialBody, of request: DataRequest) {
        let now = clock()
        change { $0.keep(body, of: request, count: body.count, now: now) }
    }

    /// Removes and returns the bytes that a transfer can begin with. A request that ignores caches drops them. Blocks
    /// on disk I/O.
    func take(for request: ImageRequest) -> PartialBody? {
        if !hasSegments, isEmpty.load(ordering: .acquiring) { return nil }
        guard let key = request.dataRequest else { return nil }
        guard request.options.readsDisk else {
            drop(key)
            return nil
        }
        let now = clock()
        if let body = change({ $0.take(key, now: now) }) { return body }
        guard let body = segments?.body(of: key) else { return nil }
        resumedFromDisk.add(body.count, ordering: .relaxed)
        return body
    }

    /// Drops the bytes of a request. Blocks on disk I/O.
    func drop(_ request: DataRequest) {
        change { $0.drop(request) }
        segments?.drop(request)
    }

    /// Drops all bodies in memory.
    func removeAll() { change { $0.removeAll() } }

    func setLimits(_ limits: PartialLimits) {
        let now = clock()
        change { $0.setLimits(limits, now: now) }
    }

    private func change<Result>(_ body: (inout PartialBodies<DataRequest, PartialBody>) -> Result) -> Result {
        let (result, left) = bodies.withLock { bodies in
            let result = body(&bodies)
            isEmpty.store(bodies.count == 0, ordering: .releasing)
            return (result, bodies.takeLeft())
        }
        _ = consume left
        return result
    }
}

/// The first bytes of a body whose transfer was cancelled or failed, and their response.
struct PartialBody: Sendable {
    let chunks: [Data]
    let count: Int
    let response: DataResponse
    /// The position of the bytes on disk; `nil` for bytes that do not come from disk.
    var kept: Kept?

    /// Bytes on disk: the transfer that received them, and the number of segments.
    typealias Kept = (run: UInt64, segments: Int)
}
