import HTTPTypes

/// The parts of a request that decide its response: the target, where the client reached the server, and the fields
/// that any of the languages reads.
struct ResponseKey: Hashable, Sendable {
    /// The bytes of the longest request that is kept.
    static let maximumBytes = 1024

    private let target: String
    private let address: PublicAddress
    private let fields: [String?]

    /// - Parameter isTrusted: whether the request comes from a proxy whose fields are read.
    init(_ head: HTTPRequest, isTrusted: Bool) {
        target = head.path ?? "/"
        address = PublicAddress(head, isTrusted: isTrusted)
        fields = ResponseKey.names.map { head.headerFields[$0] }
    }

    private static let names = [.accept, .authorization] + ImgproxyClientHints.fields.compactMap { HTTPField.Name($0) }

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

/// A recent response, without its body, so that a repeated request is not checked and read again: the signature and
/// options of an address stay what they are, only the source and its result change.
struct RecentResponse: Sendable {
    let condition: ResponseCondition
    let headers: HTTPFields
    /// The source as the log names it.
    let source: String?
}
