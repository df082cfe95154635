import FirnData
import FirnSync

/// Keeps the bytes of transfers that were given up, for those that ask for the same again.
///
/// The shell of ``PartialBodies``: a lock and a clock. By what is sent, so that whoever reloads what another gave up finds
/// it, and drops it. What leaves is let go of without the lock: buffers may be a loader's own.
final class BodyKeeper: Sendable {
    private let bodies: Locked<PartialBodies<DataRequest, PartialBody>>
    private let clock: @Sendable () -> Moment

    init(limits: PartialLimits, clock: @escaping @Sendable () -> Moment) {
        bodies = Locked(PartialBodies(limits: limits))
        self.clock = clock
    }

    /// Bytes that left without having been of use, and bytes that somebody went on from.
    var totals: (wasted: Int, resumed: Int) { bodies.withLock { ($0.wasted, $0.resumed) } }

    /// Bytes that are kept at the moment.
    var bytes: Int { bodies.withLock { $0.bytes } }

    func keep(_ body: PartialBody, of request: DataRequest) {
        let now = clock()
        change { $0.keep(body, of: request, count: body.count, now: now) }
    }

    /// What a transfer of a request can begin with. One that may read nothing kept drops it instead.
    func take(for request: ImageRequest) -> PartialBody? {
        guard let key = request.dataRequest else { return nil }
        guard request.options.readsDisk else {
            drop(key)
            return nil
        }
        let now = clock()
        return change { $0.take(key, now: now) }
    }

    func drop(_ request: DataRequest) { change { $0.drop(request) } }

    func removeAll() { change { $0.removeAll() } }

    func setLimits(_ limits: PartialLimits) {
        let now = clock()
        change { $0.setLimits(limits, now: now) }
    }

    private func change<Result>(_ body: (inout PartialBodies<DataRequest, PartialBody>) -> Result) -> Result {
        let (result, left) = bodies.withLock { bodies in
            let result = body(&bodies)
            return (result, bodies.takeLeft())
        }
        _ = consume left
        return result
    }
}
