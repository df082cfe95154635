import FirnImage

/// The images that one core finds repeatedly, each with a separate reference count.
///
/// All cores that show an image would write to one shared count, whose cache line would move between them at every hit;
/// that takes as long as the rest of the hit. A core therefore returns references that it alone created: see
/// ``Bitmap/counted()``.
///
/// Bound: `capacity` references of about 300 bytes; slots that share a place replace each other. An image gets one when
/// its place finds it twice in a row, so many images found once in turn cost nothing.
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

    /// Records that the core found an image to which it has no reference.
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

    /// Drops the reference for a removed slot.
    mutating func remove(at slot: Int32) {
        let place = CoreReferences.place(slot)
        guard place < slots.count, slots[place] == slot else { return }
        slots[place] = SlotList.none
        images[place] = nil
    }

    /// Drops the reference to a slot's image, unless other code holds copies.
    ///
    /// - Returns: false if other code holds copies.
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
