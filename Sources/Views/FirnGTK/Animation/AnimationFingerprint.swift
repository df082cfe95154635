#if GTK
import FoundationEssentials

/// Distinguishes the bytes of two animations at the same address, as after a reload, without reading all of them.
/// Compares the byte count and a hash of the first and the last 4 KiB.
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
#endif
