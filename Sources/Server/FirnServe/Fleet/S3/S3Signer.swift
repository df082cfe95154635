import Crypto
import FirnData
package import FoundationEssentials

/// A request to S3 without a query, before it is signed.
struct S3Message: Sendable {
    var method: String
    var host: String
    /// The path, encoded once.
    var path: String
    /// Fields that are signed, besides those that the signer adds.
    var headers: [(name: String, value: String)] = []
}

/// Signs requests to S3 by AWS Signature Version 4, in the field `Authorization`.
package struct S3Signer: Sendable {
    let credentials: S3Credentials
    let region: String

    package static let emptyHash = hash(Data())

    package static func hash(_ payload: Data) -> String { HexadecimalDigest.text(of: payload) }

    /// Returns all fields of the signed request: `Host`, those of the message, and what proves the signature.
    func headers(
        for message: S3Message, payloadHash: String, at time: S3Timestamp
    ) -> [(name: String, value: String)] {
        var headers = [("Host", message.host)] + message.headers.map { ($0.name, $0.value) }
        headers += [("x-amz-content-sha256", payloadHash), ("x-amz-date", time.text)]
        if let token = credentials.sessionToken { headers.append(("x-amz-security-token", token)) }
        let lines = headers.map { (name: $0.0.lowercased(), value: S3Signer.trimmed($0.1)) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let names = lines.map(\.name).joined(separator: ";")
        let canonical = [
            message.method, message.path, "", lines.map { "\($0.name):\($0.value)\n" }.joined(), names, payloadHash,
        ].joined(separator: "\n")
        let scope = "\(time.date)/\(region)/s3/aws4_request"
        let text = ["AWS4-HMAC-SHA256", time.text, scope, S3Signer.hash(Data(canonical.utf8))].joined(separator: "\n")
        let signature = S3Signer.code(text, key: key(time.date)).hexadecimal
        let proof = "Credential=\(credentials.accessKey)/\(scope), SignedHeaders=\(names), Signature=\(signature)"
        return headers + [("Authorization", "AWS4-HMAC-SHA256 \(proof)")]
    }

    private func key(_ date: String) -> SymmetricKey {
        var key = SymmetricKey(data: Data("AWS4\(credentials.secretKey)".utf8))
        for part in [date, region, "s3", "aws4_request"] {
            key = SymmetricKey(data: S3Signer.code(part, key: key))
        }
        return key
    }

    private static func code(_ text: String, key: SymmetricKey) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
    }

    /// Removes outer spaces, and joins inner ones.
    private static func trimmed(_ value: String) -> String {
        value.split(separator: " ").joined(separator: " ")
    }
}

/// A moment as SigV4 writes it: `20130524T000000Z`.
package struct S3Timestamp: Sendable, Equatable {
    /// Date and time in UTC.
    package let text: String
    package var date: String { String(text.prefix(8)) }

    /// Converts seconds since 1970, clamped to the years 1970 to 9999.
    package init(seconds: Int64) { text = UTCTime(seconds: seconds).text("%Y%m%dT%H%M%SZ") }
}
