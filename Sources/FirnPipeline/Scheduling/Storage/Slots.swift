/// Numbered slots of one kind, in blocks that never move.
///
/// Not an array: growing one copies all that is in it, and here that would happen under the table's lock with a million
/// entries; and a slot is written without the checks that an array needs for being a value. This is a plain pointer,
/// which costs nothing to pass on; ``TableMemory`` owns what it points to, and the table sees to being its only owner.
///
/// Safety: the owner frees the blocks after the last use; every slot below `count` is initialized; an index is checked
/// against `count`.
struct Slots<Element> {
    private struct Directory {
        var blocks: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
        var capacity = 4
        var count: Int32 = 0
    }

    private let directory: UnsafeMutablePointer<Directory>

    private static var shift: Int32 { 8 }
    private static var size: Int { 256 }
    private static var mask: Int32 { 255 }

    init() {
        directory = .allocate(capacity: 1)
        directory.initialize(to: Directory(blocks: .allocate(capacity: 4)))
    }

    var count: Int32 {
        @inline(__always) get { directory.pointee.count }
    }

    subscript(index: Int32) -> Element {
        @inline(__always) _read { yield slot(index).pointee }
        @inline(__always) nonmutating _modify { yield &slot(index).pointee }
    }

    // Safety: an index comes from a ticket that was checked, or from a link between slots; none from outside gets here.
    @inline(__always) private func slot(_ index: Int32) -> UnsafeMutablePointer<Element> {
        precondition(UInt32(bitPattern: index) < UInt32(bitPattern: directory.pointee.count), "no such slot")
        return place(index)
    }

    @inline(__always) private func place(_ index: Int32) -> UnsafeMutablePointer<Element> {
        directory.pointee.blocks[Int(index >> Slots.shift)] + Int(index & Slots.mask)
    }

    /// Adds a slot behind the others.
    func append(_ element: consuming Element) -> Int32 {
        let index = directory.pointee.count
        if index & Slots.mask == 0 { addBlock(Int(index >> Slots.shift)) }
        place(index).initialize(to: element)
        directory.pointee.count = index + 1
        return index
    }

    private func addBlock(_ number: Int) {
        let capacity = directory.pointee.capacity
        if number == capacity {
            let larger = UnsafeMutablePointer<UnsafeMutablePointer<Element>>.allocate(capacity: capacity * 2)
            larger.moveInitialize(from: directory.pointee.blocks, count: number)
            directory.pointee.blocks.deallocate()
            directory.pointee.blocks = larger
            directory.pointee.capacity = capacity * 2
        }
        (directory.pointee.blocks + number).initialize(to: .allocate(capacity: Slots.size))
    }

    /// The same in memory of its own.
    func copied() -> Slots {
        let copy = Slots()
        for index in 0..<count { _ = copy.append(self[index]) }
        return copy
    }

    /// Takes all slots away. For the owner.
    func removeAll() {
        let count = Int(count)
        directory.pointee.count = 0
        for start in stride(from: 0, to: count, by: Slots.size) {
            let block = directory.pointee.blocks[start / Slots.size]
            block.deinitialize(count: min(Slots.size, count - start))
            block.deallocate()
        }
    }

    /// Gives all memory back. For the owner, at its end.
    func free() {
        removeAll()
        directory.pointee.blocks.deallocate()
        directory.deallocate()
    }

    /// All that is in the slots.
    var all: [Element] { (0..<count).map { self[$0] } }
}
