import AsyncHTTPClient
import FirnData
import FoundationEssentials
package import NIOCore
import NIOHTTP1

/// Reads and writes the objects of one bucket. Follows no redirects and retries nothing.
package final class S3Client: Sendable {
    /// What a server states of an object.
    package struct Facts: Sendable, Equatable {
        /// The length in bytes; `nil` if it is not stated.
        package let length: Int?
        package let entityTag: String?
    }

    package let address: S3Address
    private let credentials: S3CredentialStore
    private let connections = S3Connections()
    /// Returns the seconds since 1970.
    private let now: @Sendable () -> Int64

    /// - Parameter now: returns the seconds since 1970. Default: the system's clock.
    package init(
        _ address: S3Address, credentials: S3CredentialStore,
        now: @escaping @Sendable () -> Int64 = { Duration.sinceEpoch().components.seconds }
    ) {
        self.address = address
        self.credentials = credentials
        self.now = now
    }

    /// Returns an object.
    ///
    /// - Parameters:
    ///   - key: the key without the prefix of the address.
    ///   - mostBytes: a longer object is an error. Its body is not read.
    ///   - limit: the time for everything, from the credentials to the last byte.
    package func get(
        _ key: String, mostBytes: Int, within limit: Duration
    ) async throws(S3Error) -> ByteBuffer {
        try await S3Deadline.run(within: limit) { [self] () async throws(S3Error) in
            let response = try await send("GET", key)
            if let length = S3Client.length(response), length > mostBytes { throw .tooLarge(mostBytes) }
            return try await S3Connections.collect(response.body, limit: mostBytes)
        }
    }

    /// Returns what is stated of an object.
    package func head(_ key: String, within limit: Duration) async throws(S3Error) -> Facts {
        try await S3Deadline.run(within: limit) { [self] () async throws(S3Error) in
            let response = try await send("HEAD", key)
            return Facts(length: S3Client.length(response), entityTag: response.headers.first(name: "ETag"))
        }
    }

    /// Writes an object.
    ///
    /// - Parameter overwrites: whether an object of that key is replaced. If not, the error has the kind `exists`.
    package func put(
        _ bytes: ByteBuffer, for key: String, overwrites: Bool = true, within limit: Duration
    ) async throws(S3Error) {
        try await S3Deadline.run(within: limit) { [self] () async throws(S3Error) in
            var headers = [(name: "Content-Type", value: "application/octet-stream")]
            if !overwrites { headers.append((name: "If-None-Match", value: "*")) }
            let response = try await send("PUT", key, headers: headers, payload: bytes)
            // The connection is used again once the response was read.
            _ = await S3Connections.first(S3ErrorText.limit, of: response.body)
        }
    }

    private func send(
        _ method: String, _ key: String, headers: [(name: String, value: String)] = [], payload: ByteBuffer? = nil
    ) async throws(S3Error) -> HTTPClientResponse {
        let key = address.prefix + key
        guard S3Location.isKey(key) else {
            throw S3Error(.response, "bucket \(address.bucket): the name cannot be a key")
        }
        let signer = S3Signer(try await credentials.current(), region: address.region)
        var message = S3Message(method: method, host: address.host, path: address.path(of: key))
        message.headers = headers
        let hash = payload.map { S3Signer.hash(Data($0.readableBytesView)) } ?? S3Signer.emptyHash
        var request = HTTPClientRequest(url: address.url(of: key))
        request.method = HTTPMethod(rawValue: method)
        for (name, value) in signer.headers(for: message, payloadHash: hash, at: S3Timestamp(seconds: now())) {
            request.headers.add(name: name, value: value)
        }
        if let payload { request.body = .bytes(payload) }
        let response = try await connections.send(request)
        guard response.status != .ok else { return response }
        let body = method == "HEAD" ? ByteBuffer() : await S3Connections.first(S3ErrorText.limit, of: response.body)
        throw S3Error(
            status: Int(response.status.code), region: response.headers.first(name: "x-amz-bucket-region"),
            body: body.readableBytesView, bucket: address)
    }

    private static func length(_ response: HTTPClientResponse) -> Int? {
        response.headers.first(name: "Content-Length").flatMap { Int($0) }
    }
}
