/// Values by key up to a total cost. Evicts the least recently used values.
///
/// A pure value. Look-ups and stores take constant time.
struct BoundedMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Node {
        let key: Key
        let value: Value
        let cost: Int
        var previous: Int?
        var next: Int?
    }

    private let limit: Int
    private let largest: Int
    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var indices: [Key: Int] = [:]
    private var first: Int?
    private var last: Int?
    private(set) var cost = 0

    /// - Parameters:
    ///   - limit: the largest sum of costs.
    ///   - largest: the largest cost of one value; values above it are not stored. Default: the limit.
    init(limit: Int, largest: Int? = nil) {
        self.limit = max(0, limit)
        self.largest = min(max(0, limit), largest ?? limit)
    }

    var count: Int { indices.count }

    func contains(_ key: Key) -> Bool { indices[key] != nil }

    /// Returns a value, and makes it the most recently used.
    mutating func value(for key: Key) -> Value? {
        guard let index = indices[key], let node = nodes[index] else { return nil }
        if index != first {
            unlink(index)
            link(index)
        }
        return node.value
    }

    /// Stores a value and evicts others to make room.
    ///
    /// - Parameter cost: at least 0. Default: 1, so that the limit is a number of values.
    mutating func store(_ value: Value, for key: Key, cost: Int = 1) {
        _ = remove(key)
        guard cost <= largest else { return }
        while self.cost > limit - cost, let last { remove(at: last) }
        let index = free.popLast() ?? nodes.count
        if index == nodes.count { nodes.append(nil) }
        nodes[index] = Node(key: key, value: value, cost: cost)
        indices[key] = index
        self.cost += cost
        link(index)
    }

    /// Removes the least recently used value and returns its key.
    mutating func removeLast() -> Key? {
        guard let last, let key = nodes[last]?.key else { return nil }
        remove(at: last)
        return key
    }

    /// Removes a value and returns whether there was one.
    mutating func remove(_ key: Key) -> Bool {
        guard let index = indices[key] else { return false }
        remove(at: index)
        return true
    }

    private mutating func remove(at index: Int) {
        guard let node = nodes[index] else { return }
        unlink(index)
        nodes[index] = nil
        free.append(index)
        indices[node.key] = nil
        cost -= node.cost
    }

    private mutating func link(_ index: Int) {
        nodes[index]?.previous = nil
        nodes[index]?.next = first
        if let first { nodes[first]?.previous = index } else { last = index }
        first = index
    }

    private mutating func unlink(_ index: Int) {
        guard let node = nodes[index] else { return }
        if let previous = node.previous { nodes[previous]?.next = node.next } else { first = node.next }
        if let next = node.next { nodes[next]?.previous = node.previous } else { last = node.previous }
    }
}
