import FoundationEssentials

/// Tells the bytes of one animation from those of another at the same address, as after a reload, without reading all
/// of them: their number, and a hash of the first and the last 4 KiB.
struct AnimationFingerprint: Hashable {
    private static let sampledBytes = 4096
    private let count: Int
    private let hash: Int

    init(_ data: Data) {
        count = data.count
        var hasher = Hasher()
        hasher.combine(data.prefix(AnimationFingerprint.sampledBytes))
        hasher.combine(data.suffix(AnimationFingerprint.sampledBytes))
        hash = hasher.finalize()
    }
}
