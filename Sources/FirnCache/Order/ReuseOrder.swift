/// What was used twice within a short time stays; everything else passes through a small queue: LIRS.
///
/// Loops longer than the cache keep a part of it instead of nothing, and one look through many slots pushes out little.
///
/// A slot is *low* (held, its last two uses close together), *resident* (held, in the queue) or *gone* (not held, its last use
/// remembered). `stack` has, by last use, the low ones and those used after the lowest low one; a slot asked for again while it
/// is in there has been used more closely than that one, takes its place, and the lowest goes to the queue.
///
/// Invariant: `stack`'s first member is low, if there are low ones.
/// Invariant: `low + queued` is at most `capacity` after every call, and `low` at most its share but for the first that comes.
/// Invariant: what is gone is in `stack` and in `ghosts`, of which there are at most `capacity` bytes.
///
/// Source: S. Jiang, X. Zhang, LIRS: an efficient low inter-reference recency set replacement policy (SIGMETRICS 2002); in bytes.
struct ReuseOrder: SlotOrder {
    private enum Kind: UInt8 { case unknown, low, resident, gone }

    /// The part of the capacity that is the queue's.
    private static let queueShare = 0.01

    private var stack = SlotList()
    /// In which order residents go.
    private var queue = SlotList()
    private var ghosts = SlotList()
    private var kinds: [Kind] = []
    private var isStacked: [Bool] = []
    private var sizes: [Int] = []
    private var (low, queued, remembered) = (0, 0, 0)
    private(set) var capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    private var lowRoom: Int { capacity - Int(Double(capacity) * ReuseOrder.queueShare) }

    func contains(_ slot: Int32) -> Bool {
        guard Int(slot) < kinds.count else { return false }
        return kinds[Int(slot)] == .low || kinds[Int(slot)] == .resident
    }

    func knows(_ slot: Int32) -> Bool { Int(slot) < kinds.count && kinds[Int(slot)] != .unknown }

    /// A slot that is held was asked for.
    ///
    /// - Returns: `false` if more is to be done, by ``use(_:bytes:left:)``.
    @inline(__always)
    mutating func useLow(_ slot: Int32) -> Bool {
        guard kinds[Int(slot)] == .low else { return false }
        stack.moveToBack(slot)
        return kinds[Int(stack.first)] == .low
    }

    mutating func use(_ slot: Int32, bytes size: Int, left: inout [Int32]) {
        while kinds.count <= Int(slot) {
            kinds.append(.unknown)
            isStacked.append(false)
            sizes.append(0)
        }
        switch kinds[Int(slot)] {
        case .low:
            stack.moveToBack(slot)
            prune(&left)
        case .resident:
            guard isStacked[Int(slot)] else {
                push(slot)
                queue.moveToBack(slot)
                return
            }
            leaveQueue(slot)
            become(low: slot)
            stack.moveToBack(slot)
            limitLow(&left)
        case .gone:
            ghosts.remove(slot)
            remembered -= sizes[Int(slot)]
            sizes[Int(slot)] = size
            become(low: slot)
            stack.moveToBack(slot)
            limitLow(&left)
            shrink(&left)
        case .unknown:
            sizes[Int(slot)] = size
            push(slot)
            if low + size <= lowRoom, queue.first == SlotList.none { become(low: slot) } else { enqueue(slot) }
            shrink(&left)
        }
    }

    mutating func forget(_ slot: Int32) {
        guard knows(slot) else { return }
        let size = sizes[Int(slot)]
        switch kinds[Int(slot)] {
        case .low: low -= size
        case .resident: leaveQueue(slot)
        case .gone:
            ghosts.remove(slot)
            remembered -= size
        case .unknown: break
        }
        kinds[Int(slot)] = .unknown
        unstack(slot)
    }

    mutating func dropNext(left: inout [Int32]) -> Bool {
        var oldest = queue.first
        if oldest == SlotList.none {
            demote(&left)
            oldest = queue.first
            guard oldest != SlotList.none else { return false }
        }
        leaveQueue(oldest)
        if isStacked[Int(oldest)] {
            kinds[Int(oldest)] = .gone
            ghosts.append(oldest)
            remembered += sizes[Int(oldest)]
            while remembered > capacity, ghosts.first != SlotList.none { forgetGhost(&left) }
        } else {
            kinds[Int(oldest)] = .unknown
        }
        left.append(oldest)
        // Order: without a low slot nothing says what "close" is.
        if low == 0 { prune(&left) }
        return true
    }

    mutating func setCapacity(_ bytes: Int, left: inout [Int32]) {
        capacity = bytes
        limitLow(&left)
        shrink(&left)
        while remembered > capacity, ghosts.first != SlotList.none { forgetGhost(&left) }
    }

    // MARK: Steps

    private mutating func shrink(_ left: inout [Int32]) {
        while low + queued > capacity, dropNext(left: &left) {}
    }

    private mutating func limitLow(_ left: inout [Int32]) {
        while low > lowRoom, demote(&left) {}
    }

    /// Moves the low slot that was not used for longest to the queue.
    @discardableResult
    private mutating func demote(_ left: inout [Int32]) -> Bool {
        prune(&left)
        let lowest = stack.first
        guard lowest != SlotList.none, kinds[Int(lowest)] == .low else { return false }
        low -= sizes[Int(lowest)]
        unstack(lowest)
        enqueue(lowest)
        prune(&left)
        return true
    }

    /// Takes what lies below the lowest low slot off the stack.
    private mutating func prune(_ left: inout [Int32]) {
        while stack.first != SlotList.none, kinds[Int(stack.first)] != .low {
            let slot = stack.first
            if kinds[Int(slot)] == .gone {
                forget(slot)
                left.append(slot)
            } else {
                unstack(slot)
            }
        }
    }

    private mutating func forgetGhost(_ left: inout [Int32]) {
        let oldest = ghosts.first
        forget(oldest)
        left.append(oldest)
    }

    private mutating func push(_ slot: Int32) {
        stack.append(slot)
        isStacked[Int(slot)] = true
    }

    private mutating func unstack(_ slot: Int32) {
        guard isStacked[Int(slot)] else { return }
        stack.remove(slot)
        isStacked[Int(slot)] = false
    }

    private mutating func become(low slot: Int32) {
        kinds[Int(slot)] = .low
        low += sizes[Int(slot)]
    }

    private mutating func enqueue(_ slot: Int32) {
        kinds[Int(slot)] = .resident
        queue.append(slot)
        queued += sizes[Int(slot)]
    }

    private mutating func leaveQueue(_ slot: Int32) {
        queue.remove(slot)
        queued -= sizes[Int(slot)]
    }
}
