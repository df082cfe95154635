import FirnDigest

extension S3Address {
    /// Returns a request about an object, signed with AWS Signature Version 4 in the field `Authorization`.
    ///
    /// - Parameters:
    ///   - headers: additional signed fields. Default: none.
    ///   - seconds: the time, in seconds since 1970.
    func request(
        _ method: String, _ key: String, headers: [(String, String)] = [], payload: Data? = nil,
        _ credentials: S3Credentials, at seconds: Int64
    ) -> DataRequest {
        let time = UTCTime(seconds: seconds).text("%Y%m%dT%H%M%SZ")
        let date = String(time.prefix(8))
        let payloadHash = HexadecimalDigest.text(of: payload ?? Data())
        var headers = [("Host", host)] + headers + [("x-amz-content-sha256", payloadHash), ("x-amz-date", time)]
        if let token = credentials.sessionToken { headers.append(("x-amz-security-token", token)) }
        // The signed values have no spaces at their ends, and single ones inside.
        let lines = headers.map { (name: $0.lowercased(), value: $1.split(separator: " ").joined(separator: " ")) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        let names = lines.map(\.name).joined(separator: ";")
        let canonical = [
            method, path(of: key), "", lines.map { "\($0.name):\($0.value)\n" }.joined(), names, payloadHash,
        ].joined(separator: "\n")
        let scope = "\(date)/\(region)/s3/aws4_request"
        let hash = HexadecimalDigest.text(of: Data(canonical.utf8))
        let text = ["AWS4-HMAC-SHA256", time, scope, hash].joined(separator: "\n")
        let signingKey = [date, region, "s3", "aws4_request"].reduce(Array("AWS4\(credentials.secretKey)".utf8)) {
            SHA256.code(of: $1.utf8, key: $0)
        }
        let signature = SHA256.code(of: text.utf8, key: signingKey).hexadecimal
        let proof = "Credential=\(credentials.accessKey)/\(scope), SignedHeaders=\(names), Signature=\(signature)"
        headers.append(("Authorization", "AWS4-HMAC-SHA256 \(proof)"))
        var request = DataRequest(url: url(of: key), method: method, body: payload)
        for (name, value) in headers { request.headers.append(name, value) }
        return request
    }
}
