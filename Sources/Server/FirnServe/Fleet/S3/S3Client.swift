import NIOCore

/// Reads and writes objects of one bucket, without redirects and retries.
struct S3Client: Sendable {
    let address: S3Address
    let credentials: S3CredentialStore
    private let connections = S3Connections()
    /// Returns the seconds since 1970. Default: the system's clock.
    var now: @Sendable () -> Int64 = { Duration.sinceEpoch().components.seconds }

    /// Returns an object.
    ///
    /// - Parameters:
    ///   - key: the key without the prefix of the address.
    ///   - maximumBytes: the maximum length. The body of a longer object is not read.
    ///   - limit: the time limit of the whole call, from the credentials to the last byte.
    func get(_ key: String, maximumBytes: Int, within limit: Duration) async throws(S3Error) -> ByteBuffer {
        try await S3Deadline.run(within: limit) { () async throws(S3Error) in
            ByteBuffer(bytes: try await send("GET", key, maximumBytes: maximumBytes).body)
        }
    }

    /// Writes an object in place of an older one.
    func put(_ bytes: ByteBuffer, for key: String, within limit: Duration) async throws(S3Error) {
        try await S3Deadline.run(within: limit) { () async throws(S3Error) in
            _ = try await send("PUT", key, payload: Data(bytes.readableBytesView))
        }
    }

    private func send(
        _ method: String, _ key: String, payload: Data? = nil, maximumBytes: Int = S3ErrorText.limit
    ) async throws(S3Error) -> S3Connections.Reply {
        let key = address.prefix + key
        guard S3Location.isKey(key) else {
            throw S3Error("bucket \(address.bucket): the name cannot be a key")
        }
        let headers = payload == nil ? [] : [("Content-Type", "application/octet-stream")]
        let request = address.request(
            method, key, headers: headers, payload: payload, try await credentials.current(), at: now())
        let reply = try await connections.send(request, maximumBytes: maximumBytes)
        guard reply.status != 200 else { return reply }
        throw S3Error(
            status: reply.status, region: reply.headers["x-amz-bucket-region"], body: reply.body, bucket: address)
    }
}

enum S3Deadline {
    /// Runs an operation and cancels it at a time limit.
    ///
    /// - Throws: kind `fault` after `limit`, `cancelled` if the caller is cancelled, or the operation's error.
    static func run<Value: Sendable>(
        within limit: Duration, _ operation: @escaping @Sendable () async throws(S3Error) -> Value
    ) async throws(S3Error) -> Value {
        let result = await withTaskGroup(of: Result<Value, S3Error>?.self) { group in
            group.addTask {
                do throws(S3Error) { return .success(try await operation()) } catch { return .failure(error) }
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let result else { throw Task.isCancelled ? .cancelled : .timeout(limit) }
        return try result.get()
    }
}
