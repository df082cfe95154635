/// Numbered slots of one kind, in blocks that never move.
///
/// Not an array: growing one copies all that is in it, and here that would happen under the table's lock with a million
/// entries; and a slot is written without the checks that an array needs for being a value. The table stays a value by
/// checking once per event that it is the only owner (``JobTable/own()``).
///
/// Safety: blocks are owned by `memory`; every slot below `count` is initialised; an index is checked against `count`.
struct Slots<Element> {
    private var memory: SlotMemory<Element>
    private var blocks: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
    private(set) var count: Int32 = 0

    init() {
        memory = SlotMemory()
        blocks = memory.blocks
    }

    subscript(index: Int32) -> Element {
        @inline(__always) _read { yield slot(index).pointee }
        @inline(__always) nonmutating _modify { yield &slot(index).pointee }
    }

    @inline(__always) private func slot(_ index: Int32) -> UnsafeMutablePointer<Element> {
        precondition(UInt32(bitPattern: index) < UInt32(bitPattern: count), "no such slot")
        return blocks[Int(index >> SlotMemory<Element>.shift)] + Int(index & SlotMemory<Element>.mask)
    }

    /// Adds a slot behind the others.
    mutating func append(_ element: consuming Element) -> Int32 {
        if count & SlotMemory<Element>.mask == 0 {
            memory.addBlock()
            blocks = memory.blocks
        }
        let index = count
        count += 1
        memory.count = count
        let block = blocks[Int(index >> SlotMemory<Element>.shift)]
        (block + Int(index & SlotMemory<Element>.mask)).initialize(to: element)
        return index
    }

    /// The same in memory of its own.
    func copied() -> Slots {
        var copy = Slots()
        for index in 0..<count { _ = copy.append(self[index]) }
        return copy
    }

    /// All that is in the slots.
    var all: [Element] { (0..<count).map { self[$0] } }
}

/// The blocks of ``Slots``.
///
/// Invariant: as many blocks as `count` slots fill.
final class SlotMemory<Element> {
    static var shift: Int32 { 8 }
    static var mask: Int32 { 255 }

    private(set) var blocks: UnsafeMutablePointer<UnsafeMutablePointer<Element>>
    private var capacity = 4
    private var blockCount = 0
    var count: Int32 = 0

    init() { blocks = .allocate(capacity: capacity) }

    deinit {
        for block in 0..<blockCount {
            let filled = min(Int(count) - block << Int(SlotMemory.shift), 1 << Int(SlotMemory.shift))
            blocks[block].deinitialize(count: filled)
            blocks[block].deallocate()
        }
        blocks.deallocate()
    }

    func addBlock() {
        if blockCount == capacity {
            let larger = UnsafeMutablePointer<UnsafeMutablePointer<Element>>.allocate(capacity: capacity * 2)
            larger.moveInitialize(from: blocks, count: blockCount)
            blocks.deallocate()
            blocks = larger
            capacity *= 2
        }
        (blocks + blockCount).initialize(to: .allocate(capacity: 1 << Int(SlotMemory.shift)))
        blockCount += 1
    }
}
