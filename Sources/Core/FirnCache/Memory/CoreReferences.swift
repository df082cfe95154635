import FirnImage

/// The images that one core has found repeatedly, each with a reference count of its own.
///
/// The count of an image that several cores show would be written by all of them, and its cache line would move between
/// them at every hit, which takes as long as the rest of the hit. A core therefore returns references that only it has
/// made: see ``Bitmap/counted()``.
///
/// Bound: `capacity` references of about 300 bytes, those found last among the slots that share a place. An image gets
/// one when the same place finds it twice in a row, so that many images that are found once in turn cost nothing.
struct CoreReferences {
    private static let capacity = 256

    private var slots: [Int32] = []
    private var images: [ImageContainer?] = []

    @inline(__always)
    private static func place(_ slot: Int32) -> Int { Int(slot) & (capacity - 1) }

    /// The core's reference to the image of a slot; `nil` if it has none.
    @inline(__always)
    func reference(at slot: Int32) -> ImageContainer? {
        let place = CoreReferences.place(slot)
        guard place < slots.count, slots[place] == slot else { return nil }
        return images[place]
    }

    /// Notes that the core found an image to which it has no reference.
    ///
    /// - Returns: the image, or a new reference to it.
    @inline(never)
    mutating func note(_ image: ImageContainer, at slot: Int32) -> ImageContainer {
        if slots.isEmpty {
            slots = Array(repeating: SlotList.none, count: CoreReferences.capacity)
            images = Array(repeating: nil, count: CoreReferences.capacity)
        }
        let place = CoreReferences.place(slot)
        let isRepeated = slots[place] == slot
        slots[place] = slot
        images[place] = isRepeated ? image.counted() : nil
        return images[place] ?? image
    }

    /// Forgets the image of a slot, which is removed.
    mutating func remove(at slot: Int32) {
        let place = CoreReferences.place(slot)
        guard place < slots.count, slots[place] == slot else { return }
        slots[place] = SlotList.none
        images[place] = nil
    }

    /// Forgets the reference to a slot's image unless other code has copies of it.
    ///
    /// - Returns: false if other code has.
    mutating func removeIfUnused(at slot: Int32) -> Bool {
        let place = CoreReferences.place(slot)
        guard place < slots.count, slots[place] == slot, images[place]?.image.isOnlyCopy() == false else {
            remove(at: slot)
            return true
        }
        return false
    }

    mutating func removeAll() {
        slots = []
        images = []
    }
}
