import FirnData
import FoundationEssentials

/// The first bytes of a body whose transfer ended before its time, and the answer that they came with.
struct PartialBody: Sendable {
    let chunks: [Data]
    let count: Int
    let response: DataResponse
    /// Where they are on disk, if they are from there.
    var kept: Kept?

    /// Bytes on disk.
    struct Kept: Sendable {
        let run: UInt64
        let segments: Int
    }
}
