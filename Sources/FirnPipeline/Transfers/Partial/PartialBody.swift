import FirnData
import FoundationEssentials

/// The first bytes of a body whose transfer ended before its time, and the answer that they came with.
final class PartialBody: Sendable {
    let chunks: [Data]
    let count: Int
    let response: DataResponse
    /// Where they are on disk, if they are from there.
    let kept: Kept?

    init(chunks: [Data], count: Int, response: DataResponse, kept: Kept? = nil) {
        self.chunks = chunks
        self.count = count
        self.response = response
        self.kept = kept
    }

    /// Bytes on disk.
    struct Kept: Sendable {
        let run: UInt64
        let segments: Int
    }
}
