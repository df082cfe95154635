/// The error of a request to S3. Its description is one line without keys, signatures or addresses of objects.
struct S3Error: Error, Sendable, Equatable, CustomStringConvertible {
    enum Kind: Sendable, Equatable {
        case notFound
        /// The object exists and may not be overwritten.
        case exists
        case cancelled
        /// The store, its configuration or the connection fails.
        case fault
    }

    let kind: Kind
    let description: String

    init(_ description: String, _ kind: Kind = .fault) {
        self.kind = kind
        self.description = description
    }

    /// True if the store works: the object is missing or exists, or the caller has cancelled.
    var isHarmless: Bool { [.notFound, .exists, .cancelled].contains(kind) }

    static let cancelled = S3Error("the request was cancelled", .cancelled)
    static func timeout(_ limit: Duration) -> S3Error { S3Error("S3 did not respond within \(limit)") }
    static func tooLarge(_ limit: Int) -> S3Error { S3Error("the object has more than \(limit) bytes") }
    /// The message of the HTTP client may contain addresses, so only the type of its error is shown.
    static func connection(_ error: any Error) -> S3Error {
        S3Error("no connection to S3, or it was lost: \(type(of: error))")
    }

    /// Creates the error of an unsuccessful response.
    ///
    /// - Parameters:
    ///   - region: the field `x-amz-bucket-region`.
    ///   - body: the start of the body.
    init(status: Int, region: String?, body: some Collection<UInt8>, bucket: S3Address) {
        let code = S3ErrorText.value(of: "Code", in: body)
        let named = code.map { "\(status) \($0)" } ?? "\(status)"
        let bucketRegion = region.flatMap { S3ErrorText.name($0.utf8) } ?? S3ErrorText.value(of: "Region", in: body)
        let isRedirect = (300...399).contains(status) && status != 304
        let advice = bucketRegion.map { "; set region=\($0)" } ?? ""
        let (kind, reason): (Kind, String) =
            switch (status, code) {
            case _ where isRedirect || code == "AuthorizationHeaderMalformed" && bucketRegion != nil:
                (.fault, "not served in \(bucket.region) (\(named))\(advice)")
            case (_, "RequestTimeTooSkewed"): (.fault, "the clock of this machine is wrong (\(named)); set it")
            case (401, _), (403, _): (.fault, "access denied (\(named)); check the keys")
            case (404, "NoSuchBucket"): (.fault, "there is no such bucket (\(named))")
            case (404, _), (410, _): (.notFound, "no such object (\(named))")
            case (409, _), (412, _): (.exists, "the object exists (\(named))")
            default: (.fault, "S3 responded with \(named)")
            }
        self.init("bucket \(bucket.bucket): \(reason)", kind)
    }
}

/// Extracts the words of an XML error that messages contain, without an XML parser.
enum S3ErrorText {
    /// The number of inspected bytes of an error.
    static let limit = 4096

    /// Returns the content of the first element of a name, if it is a short word.
    static func value(of element: String, in body: some Collection<UInt8>) -> String? {
        let bytes = Array(body.prefix(limit))
        let start = Array("<\(element)>".utf8)
        guard let from = bytes.firstRange(of: start)?.upperBound else { return nil }
        return name(bytes[from...].prefix { $0 != UInt8(ascii: "<") })
    }

    /// Returns the bytes as a string if they are a word of 1 to 64 letters, digits, dots, hyphens and underscores.
    static func name(_ bytes: some Collection<UInt8>) -> String? {
        guard (1...64).contains(bytes.count),
            bytes.allSatisfy({ PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: "~") })
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
