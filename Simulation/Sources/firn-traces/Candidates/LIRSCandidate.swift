/// LIRS: pictures whose last two uses lie close together stay; others pass through a small queue.
///
/// With `adapts`, the queue's share follows the hits that one or the other size would have had (DLIRS).
/// Source: S. Jiang, X. Zhang, LIRS (SIGMETRICS 2002); C. Li, DLIRS (SYSTOR 2018); in bytes.
final class LIRSCandidate: Candidate {
    private enum Kind { case none, low, resident, gone }
    private var stack: Chain
    private var queue: Chain
    private var ghosts: Chain
    private var kinds: [Kind]
    private var demoted: [Bool]
    private var demotedCount = 0
    private var lowBytes = 0
    private var queueShare: Double
    private let adapts: Bool
    private let ghostRoom: Int
    private let trace: Trace

    init(_ trace: Trace, queue share: Double = 0.01, adapts: Bool = false) {
        self.trace = trace
        self.adapts = adapts
        queueShare = share
        ghostRoom = 2 * trace.capacity
        stack = Chain(trace.sizes)
        queue = Chain(trace.sizes)
        ghosts = Chain(trace.sizes)
        kinds = [Kind](repeating: .none, count: trace.sizes.count)
        demoted = [Bool](repeating: false, count: trace.sizes.count)
    }

    private var lowRoom: Int { Int(Double(trace.capacity) * (1 - queueShare)) }

    func contains(_ picture: Int32) -> Bool { kinds[Int(picture)] == .low || kinds[Int(picture)] == .resident }

    func access(_ picture: Int32) -> Bool {
        let size = trace.sizes[Int(picture)]
        switch kinds[Int(picture)] {
        case .low:
            stack.moveToBack(picture)
            prune()
            return true
        case .resident:
            if adapts, demoted[Int(picture)] {
                shift(-Double(size) * max(1, Double(ghosts.bytes) / max(1, Double(demotedCount))))
            }
            setDemoted(picture, false)
            if stack.contains(picture) {
                queue.remove(picture)
                kinds[Int(picture)] = .low
                lowBytes += size
                stack.moveToBack(picture)
                limitLow()
            } else {
                stack.append(picture)
                queue.moveToBack(picture)
            }
            return true
        case .gone:
            if adapts { shift(Double(size) * max(1, Double(demotedCount) / max(1, Double(ghosts.bytes)))) }
            ghosts.remove(picture)
            makeRoom(size)
            kinds[Int(picture)] = .low
            lowBytes += size
            if stack.contains(picture) { stack.moveToBack(picture) } else { stack.append(picture) }
            limitLow()
            return false
        case .none:
            makeRoom(size)
            if lowBytes + size <= lowRoom, queue.first == nil {
                kinds[Int(picture)] = .low
                lowBytes += size
                stack.append(picture)
            } else {
                kinds[Int(picture)] = .resident
                stack.append(picture)
                queue.append(picture)
            }
            return false
        }
    }

    private func shift(_ bytes: Double) {
        queueShare = min(0.99, max(0.01, queueShare + bytes / Double(trace.capacity)))
        limitLow()
    }

    private func setDemoted(_ picture: Int32, _ value: Bool) {
        if demoted[Int(picture)] != value { demotedCount += (value ? 1 : -1) * trace.sizes[Int(picture)] }
        demoted[Int(picture)] = value
    }

    private func makeRoom(_ size: Int) {
        while lowBytes + queue.bytes + size > trace.capacity {
            guard let old = queue.popFirst() else {
                guard lowBytes > 0 else { return }
                demote()
                continue
            }
            setDemoted(old, false)
            if stack.contains(old) {
                kinds[Int(old)] = .gone
                ghosts.append(old)
                while ghosts.bytes > ghostRoom, let lost = ghosts.popFirst() {
                    kinds[Int(lost)] = .none
                    stack.remove(lost)
                }
            } else {
                kinds[Int(old)] = .none
            }
        }
    }

    private func limitLow() { while lowBytes > lowRoom, demote() {} }

    @discardableResult
    private func demote() -> Bool {
        prune()
        guard let old = stack.first, kinds[Int(old)] == .low else { return false }
        stack.remove(old)
        kinds[Int(old)] = .resident
        lowBytes -= trace.sizes[Int(old)]
        queue.append(old)
        setDemoted(old, true)
        prune()
        return true
    }

    /// What lies below the lowest picture with close uses says nothing any more.
    private func prune() {
        while let old = stack.first, kinds[Int(old)] != .low {
            if lowBytes == 0 { return }
            stack.remove(old)
            if kinds[Int(old)] == .gone {
                ghosts.remove(old)
                kinds[Int(old)] = .none
            }
        }
    }
}
