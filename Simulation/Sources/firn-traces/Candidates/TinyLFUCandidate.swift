/// W-TinyLFU: an LRU window before a segmented main part. The main part admits only an image that was requested more
/// often than the one to evict. Counts are exact here and halved periodically.
///
/// Source: G. Einziger, R. Friedman, B. Manes, TinyLFU (2017) and Adaptive Software Cache Management (2018).
final class TinyLFUCandidate: Candidate {
    enum Adaptation { case none, climbing, byRecency }
    private var window: Chain
    private var probation: Chain
    private var protected: Chain
    private var counts: [UInt8]
    private var added = 0
    private var share: Double
    private let adaptation: Adaptation
    private let trace: Trace
    // State for climbing.
    private var (step, hits, asked, lastRate) = (0.0625, 0, 0, 0.0)
    // State for adaptation by recency: the contents of a plain LRU cache.
    private let recent: LRUCandidate
    private var residents = 0

    init(_ trace: Trace, window: Double = 0.01, _ adaptation: Adaptation = .none) {
        self.trace = trace
        self.adaptation = adaptation
        share = window
        self.window = Chain(trace.sizes)
        probation = Chain(trace.sizes)
        protected = Chain(trace.sizes)
        counts = [UInt8](repeating: 0, count: trace.sizes.count)
        recent = LRUCandidate(trace)
    }

    func contains(_ image: Int32) -> Bool {
        window.contains(image) || probation.contains(image) || protected.contains(image)
    }

    func access(_ image: Int32) -> Bool {
        count(image)
        let wasRecent = adaptation == .byRecency && recent.access(image)
        let isHit = contains(image)
        adapt(isHit, wasRecent, trace.sizes[Int(image)])
        if window.contains(image) {
            window.moveToBack(image)
        } else if protected.contains(image) {
            protected.moveToBack(image)
        } else if probation.contains(image) {
            probation.remove(image)
            protected.append(image)
            balance()
        } else {
            window.append(image)
            residents += 1
        }
        shrink()
        return isHit
    }

    private func count(_ image: Int32) {
        if counts[Int(image)] < 15 { counts[Int(image)] += 1 }
        added += 1
        if added >= 10 * max(residents, 64) {
            for at in counts.indices { counts[at] /= 2 }
            added /= 2
        }
    }

    private func adapt(_ isHit: Bool, _ wasRecent: Bool, _ size: Int) {
        switch adaptation {
        case .none: return
        case .byRecency:
            if isHit != wasRecent {
                share += (wasRecent ? 1 : -1) * Double(size) / Double(trace.capacity)
                share = min(0.99, max(0.01, share))
            }
        case .climbing:
            asked += 1
            if isHit { hits += 1 }
            guard asked >= 10 * max(residents, 64) else { return }
            let rate = Double(hits) / Double(asked)
            let change = rate - lastRate
            let amount = change >= 0 ? step : -step
            step = abs(change) >= 0.05 ? (amount >= 0 ? 0.0625 : -0.0625) : amount * 0.98
            share = min(0.8, max(0.01, share + amount))
            lastRate = rate
            (hits, asked) = (0, 0)
        }
    }

    private func balance() {
        let room = Int(Double(trace.capacity) * (1 - share) * 0.8)
        while protected.bytes > room, let old = protected.popFirst() { probation.append(old) }
    }

    private func shrink() {
        let room = Int(Double(trace.capacity) * share)
        while window.bytes > room, let candidate = window.first {
            window.remove(candidate)
            admit(candidate)
        }
        while window.bytes + probation.bytes + protected.bytes > trace.capacity {
            if probation.popFirst() == nil, protected.popFirst() == nil { _ = window.popFirst() }
            residents -= 1
        }
        balance()
    }

    private func admit(_ candidate: Int32) {
        let size = trace.sizes[Int(candidate)]
        var free = trace.capacity - window.bytes - probation.bytes - protected.bytes
        if free >= size { return probation.append(candidate) }
        var (rivals, weight) = ([Int32](), 0)
        var next = probation.first ?? protected.first
        while free < size, let victim = next {
            weight += Int(counts[Int(victim)])
            rivals.append(victim)
            free += trace.sizes[Int(victim)]
            next = probation.contains(victim) ? probation.next(victim) ?? protected.first : protected.next(victim)
        }
        guard Int(counts[Int(candidate)]) > weight, free >= size else {
            residents -= 1
            return
        }
        for victim in rivals {
            probation.remove(victim)
            protected.remove(victim)
            residents -= 1
        }
        probation.append(candidate)
    }
}
