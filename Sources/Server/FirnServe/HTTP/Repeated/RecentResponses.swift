import FirnSync
import HTTPTypes
import NIOCore

/// The parts of a request that decide its response: the target, where the client reached the server, and the fields
/// that any of the languages reads.
struct ResponseKey: Hashable, Sendable {
    private let target: String
    private let address: PublicAddress
    private let fields: [String?]

    /// - Parameter isTrusted: whether the request comes from a proxy whose fields are read.
    init(_ head: HTTPRequest, isTrusted: Bool) {
        target = head.path ?? "/"
        address = PublicAddress(head, isTrusted: isTrusted)
        fields = ResponseKey.names.map { head.headerFields[$0] }
    }

    private static let names =
        [.accept, .authorization]
        + ["Sec-CH-DPR", "DPR", "Sec-CH-Width", "Width", "Save-Data"].compactMap {
            HTTPField.Name($0)
        }

    var length: Int {
        fields.reduce(target.utf8.count + address.authority.utf8.count + address.prefix.utf8.count) {
            $0 + ($1?.utf8.count ?? 0)
        }
    }
}

/// The condition for the same response to the same request.
struct ResponseCondition: Sendable {
    /// The work that made the result, for the source as it was.
    let job: ResultJob
    let entityTag: String
}

/// Recent responses, without their bodies, so that a repeated request is not checked and read again: the
/// signature and options of an address stay what they are, only the source and its result change.
///
/// Bounded: at most 4096 responses to requests of at most a kilobyte.
final class RecentResponses: Sendable {
    struct Entry: Sendable {
        let condition: ResponseCondition
        let headers: HTTPFields
        /// The source as the log names it.
        let source: String?
    }

    static let maximumBytes = 1024

    private let known = Locked(BoundedMap<ResponseKey, Entry>(limit: 4096))

    /// Returns the response to a request. Its source may have changed since.
    func entry(for words: ResponseKey) -> Entry? { known.withLock { $0.value(for: words) } }

    func keep(_ entry: Entry, for words: ResponseKey) {
        guard words.length <= RecentResponses.maximumBytes else { return }
        known.withLock { $0.store(entry, for: words) }
    }
}
