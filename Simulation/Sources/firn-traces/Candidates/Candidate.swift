/// A policy under comparison, for pictures whose bytes are known from the trace.
protocol Candidate: AnyObject {
    /// A request: whether it is a hit. A miss may put the picture in.
    func access(_ picture: Int32) -> Bool
    /// Whether the picture is held.
    func contains(_ picture: Int32) -> Bool
}

/// A list of pictures that knows its bytes and its members.
struct Chain {
    private var order = SlotList()
    private var members: [Bool]
    private let sizes: [Int]
    private(set) var bytes = 0

    init(_ sizes: [Int]) {
        self.sizes = sizes
        members = [Bool](repeating: false, count: sizes.count)
    }

    var first: Int32? { order.first == SlotList.none ? nil : order.first }
    func contains(_ picture: Int32) -> Bool { members[Int(picture)] }
    func next(_ picture: Int32) -> Int32? { order.next(picture) == SlotList.none ? nil : order.next(picture) }

    mutating func append(_ picture: Int32) {
        order.append(picture)
        members[Int(picture)] = true
        bytes += sizes[Int(picture)]
    }

    mutating func remove(_ picture: Int32) {
        guard members[Int(picture)] else { return }
        order.remove(picture)
        members[Int(picture)] = false
        bytes -= sizes[Int(picture)]
    }

    mutating func moveToBack(_ picture: Int32) { order.moveToBack(picture) }

    mutating func popFirst() -> Int32? {
        guard let first else { return nil }
        remove(first)
        return first
    }
}
