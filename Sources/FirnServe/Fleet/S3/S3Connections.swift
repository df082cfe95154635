import AsyncHTTPClient
import NIOCore

/// An HTTP client that follows no redirects and is shut down with its last reference.
final class S3Connections: Sendable {
    let http: HTTPClient

    /// - Parameter connectTimeout: the maximum time to connect. Default: 3 seconds, one repetition of a lost packet.
    init(connectTimeout: TimeAmount = .seconds(3)) {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: connectTimeout, read: nil),
            decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        // Shorter than servers keep them, so that few requests meet a connection that is being closed.
        configuration.connectionPool.idleTimeout = .seconds(4)
        http = HTTPClient(
            eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup), configuration: configuration)
    }

    /// Sends a request and returns the head of the response.
    func send(_ request: HTTPClientRequest) async throws(S3Error) -> HTTPClientResponse {
        do {
            return try await http.execute(request, deadline: .distantFuture)
        } catch {
            throw S3Connections.convert(error)
        }
    }

    /// Reads a body.
    ///
    /// - Throws: kind `tooLarge` if it is longer than `limit`.
    static func collect(_ body: HTTPClientResponse.Body, limit: Int) async throws(S3Error) -> ByteBuffer {
        var bytes = ByteBuffer()
        do {
            for try await var part in body {
                guard part.readableBytes <= limit - bytes.readableBytes else { throw S3Error.tooLarge(limit) }
                bytes.writeBuffer(&part)
            }
            try Task.checkCancellation()
        } catch {
            throw convert(error)
        }
        return bytes
    }

    /// Returns the first bytes of a body, as far as they arrive.
    static func first(_ count: Int, of body: HTTPClientResponse.Body) async -> ByteBuffer {
        var bytes = ByteBuffer()
        do {
            for try await part in body {
                bytes.writeBytes(part.readableBytesView.prefix(count - bytes.readableBytes))
                if bytes.readableBytes >= count { break }
            }
        } catch {
            // What arrived is enough for a message.
        }
        return bytes
    }

    private static func convert(_ error: any Error) -> S3Error {
        switch error {
        case let error as S3Error: error
        case is CancellationError: .cancelled
        case let error as HTTPClientError where error == .cancelled: .cancelled
        case let error as HTTPClientError where error == .connectTimeout:
            S3Error(.timeout, "no connection to S3 in time")
        default: .connection(error)
        }
    }

    deinit {
        let http = http
        // Order: the client must be shut down before it is released, and must live until then.
        http.shutdown().whenComplete { _ in withExtendedLifetime(http) {} }
    }
}
