import FirnSync
import FoundationEssentials

/// Holds S3 credentials and renews temporary ones before they expire. Concurrent callers share one renewal.
final class S3CredentialStore: Sendable {
    private let cached: Locked<S3Credentials?>
    private let renewals = SingleFlight<Int, S3Credentials, S3Error>(
        cancelled: S3Error("the renewal of the S3 credentials was cancelled", .cancelled))
    private let source: S3CredentialSource?
    private let now: @Sendable () -> Int64
    /// The number of seconds before expiry at which keys are renewed.
    private static let spare: Int64 = 300

    /// Uses the keys in the environment, otherwise those of the container, otherwise those of the EC2 instance.
    ///
    /// - Parameter now: returns the seconds since 1970. Default: the system's clock.
    init(
        environment: [String: String],
        now: @escaping @Sendable () -> Int64 = { Duration.sinceEpoch().components.seconds }
    ) throws(ConfigurationError) {
        let credentials = try S3Credentials.read(environment)
        cached = Locked(credentials)
        source = credentials == nil ? try S3CredentialSource(environment) : nil
        self.now = now
    }

    /// The keys, if they need no renewal yet.
    var ready: S3Credentials? { held(spare: S3CredentialStore.spare) }

    /// Returns valid keys.
    ///
    /// - Throws: kind `fault` if there are none.
    func current() async throws(S3Error) -> S3Credentials {
        if let ready { return ready }
        guard let source else { throw S3Error("the S3 credentials have expired") }
        do throws(S3Error) {
            return try await renewals.value(for: 0) { [self] () async throws(S3Error) in
                let credentials = try await source.credentials()
                cached.withLock { $0 = credentials }
                return credentials
            }
        } catch {
            // The old keys are valid until they expire.
            guard let credentials = held(spare: 0) else { throw error }
            return credentials
        }
    }

    private func held(spare: Int64) -> S3Credentials? {
        guard let credentials = cached.withLock({ $0 }), source == nil || credentials.isValid(at: now(), spare: spare)
        else { return nil }
        return credentials
    }
}

/// Fetches the temporary credentials of a container (ECS, EKS) or an EC2 instance (IMDSv2).
struct S3CredentialSource: Sendable {
    private enum Endpoint: Sendable {
        case container(url: String, token: String?, tokenFile: String?)
        case instance(root: String)
    }

    private let endpoint: Endpoint
    private let connections = S3Connections(connectTimeout: .seconds(1))
    private static let limit = 16 << 10
    private static let time = Duration.seconds(5)

    /// Reads `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI`, `…_FULL_URI` and `AWS_EC2_METADATA_DISABLED`.
    ///
    /// - Returns: `nil` if there is no container and EC2 is disabled.
    /// - Throws: ``ConfigurationError`` if keys would be fetched unencrypted from another machine.
    init?(_ environment: [String: String]) throws(ConfigurationError) {
        let token = environment.filled("AWS_CONTAINER_AUTHORIZATION_TOKEN")
        let file = environment.filled("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")
        if let path = environment.filled("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
            guard path.hasPrefix("/") else {
                throw ConfigurationError("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: does not begin with /")
            }
            endpoint = .container(url: "http://169.254.170.2\(path)", token: token, tokenFile: file)
        } else if let url = environment.filled("AWS_CONTAINER_CREDENTIALS_FULL_URI") {
            let host = URL(string: url)?.host()
            let isLocal = host.map { S3CredentialSource.localHosts.contains($0) || $0.hasPrefix("127.") } ?? false
            guard host != nil, url.hasPrefix("https://") || url.hasPrefix("http://") && isLocal else {
                throw ConfigurationError(
                    "AWS_CONTAINER_CREDENTIALS_FULL_URI: is neither https nor http on this machine")
            }
            endpoint = .container(url: url, token: token, tokenFile: file)
        } else if environment["AWS_EC2_METADATA_DISABLED"]?.lowercased() != "true" {
            let root = environment.filled("AWS_EC2_METADATA_SERVICE_ENDPOINT")
            endpoint = .instance(root: root ?? "http://169.254.169.254")
        } else {
            return nil
        }
    }

    private static let localHosts: Set<String> = [
        "localhost", "169.254.170.2", "169.254.170.23", "[::1]", "::1", "[fd00:ec2::23]", "fd00:ec2::23",
    ]

    func credentials() async throws(S3Error) -> S3Credentials {
        try await S3Deadline.run(within: S3CredentialSource.time) { () async throws(S3Error) in
            switch endpoint {
            case .container(let url, let token, let file):
                let token = file.flatMap { try? String(contentsOfFile: $0, encoding: .utf8) } ?? token
                let proof = token.map { ("Authorization", $0.filter { !$0.isNewline }) }
                return try S3CredentialSource.read(try await fetch("GET", url, proof))
            case .instance(let root):
                let token = try await fetch(
                    "PUT", "\(root)/latest/api/token", ("X-aws-ec2-metadata-token-ttl-seconds", "21600"))
                let proof = ("X-aws-ec2-metadata-token", String(decoding: token, as: UTF8.self))
                let list = "\(root)/latest/meta-data/iam/security-credentials/"
                let roles = String(decoding: try await fetch("GET", list, proof), as: UTF8.self)
                let role = roles.split(whereSeparator: \.isNewline).first ?? ""
                return try S3CredentialSource.read(
                    try await fetch("GET", list + PercentEncoding.encoded(role.utf8), proof))
            }
        }
    }

    private func fetch(
        _ method: String, _ url: String, _ field: (name: String, value: String)?
    ) async throws(S3Error) -> Data {
        var request = DataRequest(url: url, method: method)
        if let field { request.headers.append(field.name, field.value) }
        let reply: S3Connections.Reply
        do throws(S3Error) {
            reply = try await connections.send(request, maximumBytes: S3CredentialSource.limit)
        } catch {
            throw S3Error("no S3 credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a role")
        }
        guard reply.status == 200 else {
            throw S3Error("no S3 credentials: the source of the role responded with \(reply.status)")
        }
        return reply.body
    }

    private struct RoleCredentials: Decodable {
        var AccessKeyId: String
        var SecretAccessKey: String
        var Token: String
        var Expiration: Date
    }

    /// Parses the JSON of both kinds of sources.
    static func read(_ bytes: Data) throws(S3Error) -> S3Credentials {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard let role = try? decoder.decode(RoleCredentials.self, from: bytes),
            let credentials = try? S3Credentials(
                accessKey: role.AccessKeyId, secretKey: role.SecretAccessKey, sessionToken: role.Token,
                expiration: Int64(exactly: role.Expiration.timeIntervalSince1970.rounded(.down)))
        else { throw S3Error("no S3 credentials: the source of the role sent no keys") }
        return credentials
    }
}
