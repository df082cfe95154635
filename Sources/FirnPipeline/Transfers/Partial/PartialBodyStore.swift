import FirnData
import FirnSync
import Synchronization

/// Keeps the bytes of transfers that were given up, for those that ask for the same again.
///
/// The shell of ``PartialBodies``: a lock and a clock. By what is sent, so that whoever reloads what another gave up
/// finds it, and drops it. What leaves is let go of without the lock: buffers may be a loader's own.
final class PartialBodyStore: Sendable {
    private let bodies: Locked<PartialBodies<DataRequest, PartialBody>>
    private let clock: @Sendable () -> Moment
    /// The first bytes of transfers, also of processes that are gone; `nil` where nothing is kept on disk.
    let shelf: PartialSegmentCache?
    private let shelved = Atomic<Int>(0)
    /// Whether there is anything in memory: mostly there is not, and then nobody needs the lock.
    ///
    /// Order: set before whoever keeps something has returned, so that who asks afterwards looks.
    private let isEmpty = Atomic<Bool>(true)

    init(limits: PartialLimits, shelf: PartialSegmentCache? = nil, clock: @escaping @Sendable () -> Moment) {
        bodies = Locked(PartialBodies(limits: limits))
        self.shelf = shelf
        self.clock = clock
    }

    /// Bytes that left without having been of use, and bytes that somebody went on from.
    var totals: (wasted: Int, resumed: Int) {
        let (wasted, resumed) = bodies.withLock { ($0.wasted, $0.resumed) }
        return (wasted, resumed + shelved.load(ordering: .relaxed))
    }

    /// Bytes that are kept at the moment.
    var bytes: Int { bodies.withLock { $0.bytes } }

    func keep(_ body: PartialBody, of request: DataRequest) {
        let now = clock()
        change { $0.keep(body, of: request, count: body.count, now: now) }
    }

    /// What a transfer of a request can begin with. One that may read nothing kept drops it instead. Blocks on the
    /// disk.
    func take(for request: ImageRequest) -> PartialBody? {
        if shelf == nil, isEmpty.load(ordering: .acquiring) { return nil }
        guard let key = request.dataRequest else { return nil }
        guard request.options.readsDisk else {
            drop(key)
            return nil
        }
        let now = clock()
        if let body = change({ $0.take(key, now: now) }) { return body }
        guard let body = shelf?.body(of: key) else { return nil }
        shelved.add(body.count, ordering: .relaxed)
        return body
    }

    /// Drops what there is of a request. Blocks on the disk.
    func drop(_ request: DataRequest) {
        change { $0.drop(request) }
        shelf?.drop(request)
    }

    /// Drops all that is in memory.
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
