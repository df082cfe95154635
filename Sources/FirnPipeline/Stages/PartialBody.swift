import FirnData
import FoundationEssentials

/// The first bytes of a body whose transfer ended before its time, and the answer that they came with.
struct PartialBody: Sendable {
    let chunks: [Data]
    let count: Int
    let response: DataResponse
}
