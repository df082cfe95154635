/// Numbered slots of one type, in blocks that never move.
///
/// Not an array: growing an array copies its content, here under the table's lock and with a million entries. Slots
/// are also written without the uniqueness checks of an array. This is a plain pointer that costs nothing to copy;
/// ``TableMemory`` owns its memory, and the table ensures that it is the only owner.
///
/// Safety: the owner frees the blocks after the last use; every slot below `count` is initialized; an index is
/// checked against `count`.
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

    // Safety: an index comes from a checked ticket or from a link between slots, never from outside.
    @inline(__always) private func slot(_ index: Int32) -> UnsafeMutablePointer<Element> {
        precondition(UInt32(bitPattern: index) < UInt32(bitPattern: directory.pointee.count), "no such slot")
        return place(index)
    }

    @inline(__always) private func place(_ index: Int32) -> UnsafeMutablePointer<Element> {
        directory.pointee.blocks[Int(index >> Slots.shift)] + Int(index & Slots.mask)
    }

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

    /// Returns a copy with its own memory.
    func copied() -> Slots {
        let copy = Slots()
        for index in 0..<count { _ = copy.append(self[index]) }
        return copy
    }

    /// Removes all slots. Only the owner calls it.
    func removeAll() {
        let count = Int(count)
        directory.pointee.count = 0
        for start in stride(from: 0, to: count, by: Slots.size) {
            let block = directory.pointee.blocks[start / Slots.size]
            block.deinitialize(count: min(Slots.size, count - start))
            block.deallocate()
        }
    }

    /// Frees all memory. Only the owner calls it, at its end.
    func free() {
        removeAll()
        directory.pointee.blocks.deallocate()
        directory.deallocate()
    }

    var all: [Element] { (0..<count).map { self[$0] } }
}
