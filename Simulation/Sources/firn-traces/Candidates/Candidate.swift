/// A cache policy under comparison, for images whose sizes the trace has.
protocol Candidate: AnyObject {
    /// Performs a request; returns whether it is a hit. A miss may insert the image.
    func access(_ image: Int32) -> Bool
    /// Whether the image is cached.
    func contains(_ image: Int32) -> Bool
}

/// A linked list of images that tracks its bytes and its members.
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
    func contains(_ image: Int32) -> Bool { members[Int(image)] }
    func next(_ image: Int32) -> Int32? { order.next(image) == SlotList.none ? nil : order.next(image) }

    mutating func append(_ image: Int32) {
        order.append(image)
        members[Int(image)] = true
        bytes += sizes[Int(image)]
    }

    mutating func remove(_ image: Int32) {
        guard members[Int(image)] else { return }
        order.remove(image)
        members[Int(image)] = false
        bytes -= sizes[Int(image)]
    }

    mutating func moveToBack(_ image: Int32) { order.moveToBack(image) }

    mutating func popFirst() -> Int32? {
        guard let first else { return nil }
        remove(first)
        return first
    }
}
