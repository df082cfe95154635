import FirnImage
import FirnSync

/// The images of a memory cache by key, family and slot, and the uses that lookups record.
///
/// Slots are those of the cache's ``AdaptiveTable``, which decides about eviction and holds no images.
///
/// Invariant: `places` has the slots with an image; `families` has those whose key has a family; a core has references
/// only to images of slots.
struct HeldImages: ~Copyable {
    /// The data that lookups on one core change, under its lock.
    struct Core {
        var uses = RecordedUses()
        var references = CoreReferences()
    }

    let cores = PerCore { Core() }
    private var places = HashIndex()
    private var families = HashIndex()
    // Separate arrays, so that a hit reads little besides a key and an image.
    private var keys: [ImageCacheKey?] = []
    private var images: [ImageContainer?] = []
    /// The time of the oldest image, and the maximum age; `nil` for no limit.
    var oldest = Int64.max
    var age: Int64?

    /// The slot of a key.
    @inline(__always)
    borrowing func place(_ key: ImageCacheKey) -> Int32? {
        places.find(key.bits) { keys[Int($0)] == key }
    }

    /// The image of a slot from ``place(_:)``, for a core.
    @inline(__always)
    borrowing func image(at slot: Int32, for core: UnsafeMutablePointer<Core>) -> ImageContainer? {
        if let image = core.pointee.references.reference(at: slot) { return image }
        guard let image = images[Int(slot)] else { return nil }
        return cores.count > 1 ? core.pointee.references.note(image, at: slot) : image
    }

    /// The other images of a key's family, in any order.
    borrowing func relatives(of key: ImageCacheKey) -> [ImageContainer] {
        guard families.count > 0, let bits = key.familyBits else { return [] }
        var found: [ImageContainer] = []
        _ = families.find(bits) { slot in
            if let other = keys[Int(slot)], let image = images[Int(slot)], other != key, other.isRelative(of: key) {
                found.append(image)
            }
            return false
        }
        return found
    }

    /// Returns whether images have expired.
    borrowing func hasExpired(at moment: Int64) -> Bool { age.map { oldest.isOlder(than: $0, at: moment) } ?? false }

    /// All keys.
    var allKeys: [ImageCacheKey] { keys.compactMap { $0 } }

    /// Adds an image to an empty slot.
    mutating func add(_ image: ImageContainer, _ key: ImageCacheKey, at slot: Int32) {
        while images.count <= Int(slot) {
            images.append(nil)
            keys.append(nil)
        }
        images[Int(slot)] = image
        // A detached copy: threads that look up a request count references to the names in its key.
        keys[Int(slot)] = key.detached()
        places.insert(slot, key.bits)
        if let family = key.familyBits { families.insert(slot, family) }
    }

    /// Removes the image of a slot.
    mutating func remove(at slot: Int32) -> ImageContainer? {
        guard let key = keys[Int(slot)].take() else { return nil }
        for core in 0..<cores.count { cores[core].pointee.references.remove(at: slot) }
        places.remove(slot, key.bits)
        if let family = key.familyBits { families.remove(slot, family) }
        return images[Int(slot)].take()
    }

    /// Removes all images.
    mutating func removeAll() -> [ImageContainer] {
        for core in 0..<cores.count { cores[core].pointee.references.removeAll() }
        (places, families, keys, oldest) = (HashIndex(), HashIndex(), [], .max)
        defer { images = [] }
        return images.compactMap { $0 }
    }

    /// Returns whether code other than a cache holds the pixels of a slot's image. Works in place, so it creates no
    /// other copy.
    mutating func isHeldElsewhere(_ slot: Int32) -> Bool {
        for core in 0..<cores.count where !cores[core].pointee.references.removeIfUnused(at: slot) { return true }
        guard var image = images[Int(slot)].take() else { return false }
        defer { images[Int(slot)] = image }
        return image.image.isHeldElsewhere()
    }

    init(age: Int64?) { self.age = age }
}
