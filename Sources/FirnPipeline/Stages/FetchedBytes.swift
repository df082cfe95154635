import FirnData
import FoundationEssentials
import Synchronization

/// The bytes of a resource, as a chain of chunks, with what their source said.
final class FetchedBytes: Sendable {
    let chunks: [Data]
    let count: Int
    let response: DataResponse?
    let isFromDisk: Bool
    private let mayStore: Atomic<Bool>

    /// - Parameter mayStore: whether the bytes are to be kept in the data cache once they have proved to be a picture.
    init(chunks: [Data], count: Int, response: DataResponse? = nil, isFromDisk: Bool = false, mayStore: Bool = false) {
        self.chunks = chunks
        self.count = count
        self.response = response
        self.isFromDisk = isFromDisk
        self.mayStore = Atomic(mayStore)
    }

    /// Bytes in one piece.
    convenience init(_ data: Data, response: DataResponse? = nil, isFromDisk: Bool = false) {
        self.init(chunks: [data], count: data.count, response: response, isFromDisk: isFromDisk)
    }

    /// The first bytes, enough to tell a format by.
    func head(_ length: Int) -> Data {
        guard let first = chunks.first else { return Data() }
        if chunks.count == 1 || first.count >= length { return first.prefix(length) }
        var head = Data(capacity: length)
        for chunk in chunks where head.count < length { head.append(chunk.prefix(length - head.count)) }
        return head
    }

    /// All bytes in one piece; copies only where there are several chunks.
    func joined() -> Data {
        if chunks.count == 1 { return chunks[0] }
        var data = Data(capacity: count)
        for chunk in chunks { data.append(chunk) }
        return data
    }

    /// `true` for the first caller, if the bytes are to be kept.
    func takeStore() -> Bool {
        mayStore.exchange(false, ordering: .relaxed)
    }
}
