import FirnData
import FoundationEssentials

/// The first bytes of a body whose transfer was cancelled or failed, and their response.
final class PartialBody: Sendable {
    let chunks: [Data]
    let count: Int
    let response: DataResponse
    /// The position of the bytes on disk; `nil` for bytes that do not come from disk.
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
