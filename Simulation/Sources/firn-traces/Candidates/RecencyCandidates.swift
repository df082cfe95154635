/// LRU: evicts the least recently used image.
final class LRUCandidate: Candidate {
    private var list: Chain
    private let trace: Trace

    init(_ trace: Trace) {
        self.trace = trace
        list = Chain(trace.sizes)
    }

    func contains(_ image: Int32) -> Bool { list.contains(image) }

    func access(_ image: Int32) -> Bool {
        if list.contains(image) {
            list.moveToBack(image)
            return true
        }
        list.append(image)
        while list.bytes > trace.capacity { _ = list.popFirst() }
        return false
    }
}

/// Segmented LRU: protects images that were used twice, at most four fifths of the cache.
final class SLRUCandidate: Candidate {
    private var probation: Chain
    private var protected: Chain
    private let trace: Trace

    init(_ trace: Trace) {
        self.trace = trace
        probation = Chain(trace.sizes)
        protected = Chain(trace.sizes)
    }

    func contains(_ image: Int32) -> Bool { probation.contains(image) || protected.contains(image) }

    func access(_ image: Int32) -> Bool {
        if protected.contains(image) {
            protected.moveToBack(image)
            return true
        }
        if probation.contains(image) {
            probation.remove(image)
            protected.append(image)
            while protected.bytes > trace.capacity / 5 * 4, let old = protected.popFirst() { probation.append(old) }
            return true
        }
        probation.append(image)
        while probation.bytes + protected.bytes > trace.capacity {
            if probation.popFirst() == nil { _ = protected.popFirst() }
        }
        return false
    }
}

/// SIEVE: one list, a mark on used images, and a hand that skips marked images.
///
/// Source: Y. Zhang et al., SIEVE is simpler than LRU (NSDI 2024).
final class SieveCandidate: Candidate {
    private var list: Chain
    private var used: [Bool]
    private var hand: Int32?
    private let trace: Trace

    init(_ trace: Trace) {
        self.trace = trace
        list = Chain(trace.sizes)
        used = [Bool](repeating: false, count: trace.sizes.count)
    }

    func contains(_ image: Int32) -> Bool { list.contains(image) }

    func access(_ image: Int32) -> Bool {
        if list.contains(image) {
            used[Int(image)] = true
            return true
        }
        while list.bytes + trace.sizes[Int(image)] > trace.capacity {
            guard let at = hand ?? list.first else { break }
            hand = list.next(at)
            if used[Int(at)] { used[Int(at)] = false } else { list.remove(at) }
        }
        list.append(image)
        used[Int(image)] = false
        return false
    }
}

/// S3-FIFO: a small queue for new images, a main queue, and a ghost queue of names evicted from the small one.
///
/// Source: J. Yang et al., FIFO queues are all you need for cache eviction (SOSP 2023).
final class S3FIFOCandidate: Candidate {
    private var small: Chain
    private var main: Chain
    private var ghost: Chain
    private var uses: [UInt8]
    private let trace: Trace

    init(_ trace: Trace) {
        self.trace = trace
        small = Chain(trace.sizes)
        main = Chain(trace.sizes)
        ghost = Chain(trace.sizes)
        uses = [UInt8](repeating: 0, count: trace.sizes.count)
    }

    func contains(_ image: Int32) -> Bool { small.contains(image) || main.contains(image) }

    func access(_ image: Int32) -> Bool {
        if contains(image) {
            uses[Int(image)] = min(3, uses[Int(image)] + 1)
            return true
        }
        while small.bytes + main.bytes + trace.sizes[Int(image)] > trace.capacity {
            if small.bytes >= trace.capacity / 10 || main.first == nil { evictSmall() } else { evictMain() }
            if small.first == nil, main.first == nil { break }
        }
        uses[Int(image)] = 0
        if ghost.contains(image) {
            ghost.remove(image)
            main.append(image)
        } else {
            small.append(image)
        }
        return false
    }

    private func evictSmall() {
        while let old = small.popFirst() {
            if uses[Int(old)] > 1 {
                uses[Int(old)] = 0
                main.append(old)
            } else {
                ghost.append(old)
                while ghost.bytes > trace.capacity { _ = ghost.popFirst() }
                return
            }
        }
    }

    private func evictMain() {
        while let old = main.popFirst() {
            guard uses[Int(old)] > 0 else { return }
            uses[Int(old)] -= 1
            main.append(old)
        }
    }
}

/// ARC: two lists, for images used once and used again, each with a ghost list of evicted names. A hit in a ghost list
/// shows which list is too short.
///
/// Source: N. Megiddo, D. Modha, ARC: a self-tuning, low overhead replacement cache (FAST 2003); in bytes.
final class ARCCandidate: Candidate {
    private var once: Chain
    private var again: Chain
    private var onceGone: Chain
    private var againGone: Chain
    private var wanted = 0
    private let trace: Trace

    init(_ trace: Trace) {
        self.trace = trace
        once = Chain(trace.sizes)
        again = Chain(trace.sizes)
        onceGone = Chain(trace.sizes)
        againGone = Chain(trace.sizes)
    }

    func contains(_ image: Int32) -> Bool { once.contains(image) || again.contains(image) }

    func access(_ image: Int32) -> Bool {
        let size = trace.sizes[Int(image)]
        if again.contains(image) {
            again.moveToBack(image)
            return true
        }
        if once.contains(image) {
            once.remove(image)
            again.append(image)
            return true
        }
        if onceGone.contains(image) {
            wanted = min(trace.capacity, wanted + max(size, size * againGone.bytes / max(1, onceGone.bytes)))
            onceGone.remove(image)
            makeRoom(size, favoringOnce: true)
            again.append(image)
        } else if againGone.contains(image) {
            wanted = max(0, wanted - max(size, size * onceGone.bytes / max(1, againGone.bytes)))
            againGone.remove(image)
            makeRoom(size, favoringOnce: false)
            again.append(image)
        } else {
            makeRoom(size, favoringOnce: true)
            once.append(image)
        }
        while once.bytes + onceGone.bytes > trace.capacity, onceGone.popFirst() != nil {}
        while once.bytes + onceGone.bytes + again.bytes + againGone.bytes > 2 * trace.capacity,
            againGone.popFirst() != nil
        {}
        return false
    }

    private func makeRoom(_ size: Int, favoringOnce: Bool) {
        while once.bytes + again.bytes + size > trace.capacity {
            if once.bytes > wanted || again.first == nil || (!favoringOnce && once.bytes == wanted) {
                if let old = once.popFirst() {
                    onceGone.append(old)
                } else {
                    guard let old = again.popFirst() else { return }
                    againGone.append(old)
                }
            } else if let old = again.popFirst() {
                againGone.append(old)
            }
        }
    }
}
