/// LIRS: keeps images whose last two uses are close together; others pass through a small queue.
///
/// With `adapts`, the queue's share follows the hits that a larger or a smaller queue would have had (DLIRS).
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

    func contains(_ image: Int32) -> Bool { kinds[Int(image)] == .low || kinds[Int(image)] == .resident }

    func access(_ image: Int32) -> Bool {
        let size = trace.sizes[Int(image)]
        switch kinds[Int(image)] {
        case .low:
            stack.moveToBack(image)
            prune()
            return true
        case .resident:
            if adapts, demoted[Int(image)] {
                shift(-Double(size) * max(1, Double(ghosts.bytes) / max(1, Double(demotedCount))))
            }
            setDemoted(image, false)
            if stack.contains(image) {
                queue.remove(image)
                kinds[Int(image)] = .low
                lowBytes += size
                stack.moveToBack(image)
                limitLow()
            } else {
                stack.append(image)
                queue.moveToBack(image)
            }
            return true
        case .gone:
            if adapts { shift(Double(size) * max(1, Double(demotedCount) / max(1, Double(ghosts.bytes)))) }
            ghosts.remove(image)
            makeRoom(size)
            kinds[Int(image)] = .low
            lowBytes += size
            if stack.contains(image) { stack.moveToBack(image) } else { stack.append(image) }
            limitLow()
            return false
        case .none:
            makeRoom(size)
            if lowBytes + size <= lowRoom, queue.first == nil {
                kinds[Int(image)] = .low
                lowBytes += size
                stack.append(image)
            } else {
                kinds[Int(image)] = .resident
                stack.append(image)
                queue.append(image)
            }
            return false
        }
    }

    private func shift(_ bytes: Double) {
        queueShare = min(0.99, max(0.01, queueShare + bytes / Double(trace.capacity)))
        limitLow()
    }

    private func setDemoted(_ image: Int32, _ value: Bool) {
        if demoted[Int(image)] != value { demotedCount += (value ? 1 : -1) * trace.sizes[Int(image)] }
        demoted[Int(image)] = value
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

    /// Prunes the stack: entries below the lowest LIR image carry no information.
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
