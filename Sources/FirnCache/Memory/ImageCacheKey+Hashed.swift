import FirnImage

extension ImageCacheKey: HashedKey {
    var bits: UInt64 { UInt64(bitPattern: Int64(number)) }
}
