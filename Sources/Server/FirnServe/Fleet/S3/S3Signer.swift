import FirnData
import FirnDigest
import FoundationEssentials

/// A request to S3 without a query, before it is signed.
struct S3Message: Sendable {
    var method: String
    var host: String
    /// The path, encoded once.
    var path: String
    /// Additional signed fields; the signer adds its own.
    var headers: [(name: String, value: String)] = []
}

/// Signs requests to S3 with AWS Signature Version 4 in the field `Authorization`.
struct S3Signer: Sendable {
    let credentials: S3Credentials
    let region: String

    static let emptyHash = HexadecimalDigest.text(of: Data())

    /// Returns all fields of the signed request: `Host`, the message's and the signature's.
    ///
    /// - Parameter seconds: the time, in seconds since 1970.
    func headers(for message: S3Message, payloadHash: String, at seconds: Int64) -> [(name: String, value: String)] {
        let time = UTCTime(seconds: seconds).text("%Y%m%dT%H%M%SZ")
        let date = String(time.prefix(8))
        var headers = [("Host", message.host)] + message.headers.map { ($0.name, $0.value) }
        headers += [("x-amz-content-sha256", payloadHash), ("x-amz-date", time)]
        if let token = credentials.sessionToken { headers.append(("x-amz-security-token", token)) }
        let lines = headers.map { (name: $0.0.lowercased(), value: S3Signer.trimmed($0.1)) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let names = lines.map(\.name).joined(separator: ";")
        let canonical = [
            message.method, message.path, "", lines.map { "\($0.name):\($0.value)\n" }.joined(), names, payloadHash,
        ].joined(separator: "\n")
        let scope = "\(date)/\(region)/s3/aws4_request"
        let hash = HexadecimalDigest.text(of: Data(canonical.utf8))
        let text = ["AWS4-HMAC-SHA256", time, scope, hash].joined(separator: "\n")
        let signature = SHA256.code(of: text.utf8, key: key(date)).hexadecimal
        let proof = "Credential=\(credentials.accessKey)/\(scope), SignedHeaders=\(names), Signature=\(signature)"
        return headers + [("Authorization", "AWS4-HMAC-SHA256 \(proof)")]
    }

    private func key(_ date: String) -> [UInt8] {
        [date, region, "s3", "aws4_request"].reduce(Array("AWS4\(credentials.secretKey)".utf8)) { key, part in
            SHA256.code(of: part.utf8, key: key)
        }
    }

    /// Trims spaces and collapses inner ones.
    private static func trimmed(_ value: String) -> String {
        value.split(separator: " ").joined(separator: " ")
    }
}

extension S3Address {
    /// Returns a signed request about an object.
    ///
    /// - Parameter seconds: the time, in seconds since 1970.
    func request(
        _ method: String, _ key: String, payload: Data? = nil, _ credentials: S3Credentials, at seconds: Int64
    ) -> DataRequest {
        var message = S3Message(method: method, host: host, path: path(of: key))
        if payload != nil { message.headers = [("Content-Type", "application/octet-stream")] }
        let hash = HexadecimalDigest.text(of: payload ?? Data())
        var request = DataRequest(url: url(of: key), method: method, body: payload)
        let signer = S3Signer(credentials: credentials, region: region)
        for (name, value) in signer.headers(for: message, payloadHash: hash, at: seconds) {
            request.headers.append(name, value)
        }
        return request
    }
}
