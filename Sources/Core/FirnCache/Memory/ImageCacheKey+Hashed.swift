import FirnImage

extension ImageCacheKey: HashedKey {
    var bits: UInt64 { UInt64(bitPattern: Int64(number)) }

    var familyBits: UInt64? { familyLength > 0 ? UInt64(bitPattern: Int64(familyNumber)) : nil }
}
