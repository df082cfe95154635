/// An S3 key pair, with a session token if it is temporary. No description contains a secret.
struct S3Credentials: Sendable, Equatable {
    let accessKey: String
    let secretKey: String
    /// The token of temporary keys; `nil` for keys of a user.
    let sessionToken: String?
    /// The expiry of the keys, in seconds since 1970; `nil` if they do not expire.
    let expiration: Int64?

    /// - Throws: ``ConfigurationError`` if a part is empty or has bytes that are invalid in header fields.
    init(
        accessKey: String, secretKey: String, sessionToken: String? = nil, expiration: Int64? = nil
    ) throws(ConfigurationError) {
        for (name, value) in [("access key", accessKey), ("secret key", secretKey), ("session token", sessionToken)] {
            guard let value else { continue }
            guard !value.isEmpty, value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw ConfigurationError("S3 credentials: the \(name) is empty or has a space or control character")
            }
        }
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
        self.expiration = expiration
    }

    /// Reads `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
    ///
    /// - Returns: `nil` if neither key is set.
    /// - Throws: ``ConfigurationError`` if only one of the keys is set, or one is invalid.
    static func read(_ environment: [String: String]) throws(ConfigurationError) -> S3Credentials? {
        switch (environment.filled("AWS_ACCESS_KEY_ID"), environment.filled("AWS_SECRET_ACCESS_KEY")) {
        case (nil, nil): return nil
        case (let accessKey?, let secretKey?):
            return try S3Credentials(
                accessKey: accessKey, secretKey: secretKey, sessionToken: environment.filled("AWS_SESSION_TOKEN"))
        case (nil, _?): throw ConfigurationError("S3 credentials: AWS_ACCESS_KEY_ID is missing; set it")
        case (_?, nil): throw ConfigurationError("S3 credentials: AWS_SECRET_ACCESS_KEY is missing; set it")
        }
    }

    static func region(_ environment: [String: String]) -> String? {
        environment.filled("AWS_REGION") ?? environment.filled("AWS_DEFAULT_REGION")
    }

    /// Returns whether the keys stay valid for at least `spare` seconds.
    func isValid(at now: Int64, spare: Int64) -> Bool {
        guard let expiration else { return true }
        return expiration.subtractingReportingOverflow(now).partialValue > spare
    }
}

extension S3Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { sessionToken == nil ? "S3 credentials" : "temporary S3 credentials" }
    var debugDescription: String { description }
    /// Without children, so that `dump` prints no secret.
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension [String: String] {
    /// Returns the value of a variable; `nil` also for an empty one.
    func filled(_ name: String) -> String? { self[name].flatMap { $0.isEmpty ? nil : $0 } }
}
