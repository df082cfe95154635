import CFirnCurl
import FirnSystem

/// A request in libcurl's form: one block of NUL-terminated strings.
final class ExchangeMessage: Sendable {
    /// The methods that a server may safely receive twice (RFC 9110 §9.2.2).
    private static let repeatable: Set<String> = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]
    /// The methods whose requests state the length of their body even if it is empty (RFC 9110 §8.6).
    private static let withBody: Set<String> = ["POST", "PUT", "PATCH"]

    let origin: Origin
    let mayRepeat: Bool
    private let address: String
    private let method: String
    private let fields: [UInt8]
    // Safety: written by `init` only.
    private nonisolated(unsafe) let body: UnsafeMutableBufferPointer<UInt8>?
    private let versions: (http2: Bool, http3: Bool)
    /// True if only the server's certificate is requested.
    let asksForCertificate: Bool

    /// Creates a message.
    ///
    /// - Throws: `badAddress` if a part of the request contains a line end or a NUL, which would start another field.
    init(
        _ request: DataRequest, _ address: RequestAddress, _ settings: LoaderConfiguration,
        asksForCertificate: Bool = false
    ) throws(DataLoadingError) {
        var fields: [UInt8] = []
        fields.reserveCapacity(512)
        func add(_ name: String, _ value: String) throws(DataLoadingError) {
            guard ExchangeMessage.isToken(name), ExchangeMessage.isLine(value) else {
                throw DataLoadingError(.badAddress, "a field of the request has characters that HTTP does not allow")
            }
            fields.append(contentsOf: name.utf8)
            fields.append(contentsOf: (value.isEmpty ? ";" : ": ").utf8)
            fields.append(contentsOf: value.utf8)
            fields.append(0)
        }
        for field in request.headers.fields { try add(field.name, field.value) }
        if let urgency = request.priority.urgency, request.headers["Priority"] == nil {
            try add("Priority", urgency)
        }
        if settings.decompresses, request.headers["Accept-Encoding"] == nil {
            try add("Accept-Encoding", "gzip, deflate")
        }
        guard ExchangeMessage.isToken(request.method) else {
            throw DataLoadingError(.badAddress, "the request's method is not one that HTTP allows")
        }
        fields.append(0)
        self.fields = fields
        self.address = address.text
        self.asksForCertificate = asksForCertificate
        origin = address.origin
        method = request.method
        mayRepeat = ExchangeMessage.repeatable.contains(method)
        versions = (settings.allowsHTTP2, settings.allowsHTTP3 && firn_curl_has_http3())
        let bytes = request.body ?? (ExchangeMessage.withBody.contains(method) ? Data() : nil)
        body = bytes.map { bytes in
            let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, bytes.count))
            _ = buffer.initialize(from: bytes)
            return UnsafeMutableBufferPointer(rebasing: buffer[..<bytes.count])
        }
    }

    deinit { body?.deallocate() }

    /// Returns whether a text is a valid field name or method (RFC 9110 §5.6.2).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                // Digits, letters, and !#$%&'*+-.^_`|~
                case 48...57, 65...90, 94...122, 33, 35...39, 42, 43, 45, 46, 124, 126: true
                default: false
                }
            }
    }

    private static func isLine(_ text: String) -> Bool { text.utf8.allSatisfy { $0 != 0 && $0 != 10 && $0 != 13 } }

    /// Calls `body` with the request in libcurl's form.
    func withRequest(
        _ route: Route, _ pool: ConnectionPool, _ tls: TLSMaterial,
        _ use: (UnsafePointer<firn_curl_request>) -> OpaquePointer?
    ) -> OpaquePointer? {
        let target = route.address.map { "::\($0.bracketed):\(origin.port)" }
        let (host, port) = route.proxy.map { ($0.host, $0.port) } ?? (origin.host, origin.port)
        let news = pool.news(of: host, port, route.found)
        let proxy = route.proxy
        let texts = [address, method, proxy?.text ?? "", target, news, proxy?.user, proxy?.password]
        let copies = texts.map { text in UnsafePointer(text.flatMap { strdup($0) }) }
        defer { for copy in copies { free(UnsafeMutablePointer(mutating: copy)) } }
        // Without memory for its target, a request must not go elsewhere.
        guard zip(texts, copies).allSatisfy({ ($0 == nil) == ($1 == nil) }) else { return nil }
        return fields.withUnsafeBytes { fields in
            var request = firn_curl_request()
            (request.address, request.method, request.proxy) = (copies[0], copies[1], copies[2])
            (request.connect_to, request.resolve) = (copies[3], copies[4])
            (request.proxy_user, request.proxy_password) = (copies[5], copies[6])
            request.fields = fields.baseAddress?.assumingMemoryBound(to: CChar.self)
            request.body = body.flatMap { UnsafePointer($0.baseAddress) }
            request.body_length = body?.count ?? 0
            request.tls = asksForCertificate ? tls.open : tls.settings
            request.allows_http2 = versions.http2
            request.allows_http3 = versions.http3
            request.waits_for_connection = versions.http2 && pool.mayShare(origin)
            request.needs_new_connection = !mayRepeat || asksForCertificate || pool.avoidsConnections(to: origin)
            request.asks_for_certificate = asksForCertificate
            return use(&request)
        }
    }
}

extension DataPriority {
    /// The value of the field `Priority`; `nil` for the default urgency of 3, which is not sent.
    ///
    /// Source: RFC 9218 §4.1. Urgency 0 is not used: it would precede the documents that contain the images.
    package var urgency: String? {
        switch self {
        case .veryHigh: "u=1"
        case .high: "u=2"
        case .normal: nil
        case .low: "u=5"
        case .veryLow: "u=6"
        }
    }
}
