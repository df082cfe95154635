import FirnImage
import FoundationEssentials
import Glibc
import Hummingbird
import NIOPosix
import Synchronization

// snippet.upload-handler
/// Takes images at `POST /images` and responds with a WebP, whose BlurHash is a header field.
struct UploadHandler: Sendable {
    /// Longest time for the bytes of one upload.
    let uploadTime: Duration
    /// Decodes at once. Each takes up to `maximumWorkingBytes` of memory.
    private let threads = NIOThreadPool(numberOfThreads: 2)
    /// Uploads at once, those that wait for a thread included. Each holds up to `maximumBytes`.
    private let slots = UploadSlots(limit: 16)

    init(uploadTime: Duration) {
        self.uploadTime = uploadTime
        threads.start()
    }

    func handle(_ request: Request) async throws -> Response {
        guard slots.take() else {
            return Response(status: .serviceUnavailable, headers: [.retryAfter: "1"])
        }
        defer { slots.free() }

        let bytes = try await body(of: request)
        let image: UploadedImage
        do {
            // Not on Swift's threads: a decode blocks for its whole time.
            image = try await threads.runIfActive { try UploadedImage(upload: bytes) }
        } catch let error as ImageDecodingError {
            throw HTTPError(UploadHandler.status(of: error), message: error.description)
        }
        var headers: HTTPFields = [.contentType: "image/webp"]
        for (name, value) in [("Image-Size", image.size.description), ("Image-BlurHash", image.blurHash)] {
            if let name = HTTPFields.Element.Name(name) { headers[name] = value }
        }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: image.webP)))
    }

    /// The bytes of an upload, within the limits of length and time.
    private func body(of request: Request) async throws -> Data {
        let limit = UploadedImage.limits.maximumBytes
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > limit {
            throw HTTPError(.contentTooLarge)
        }
        return try await withThrowingTaskGroup(of: Data.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                var bytes = Data()
                for try await buffer in request.body {
                    guard bytes.count + buffer.readableBytes <= limit else { throw HTTPError(.contentTooLarge) }
                    bytes.append(contentsOf: buffer.readableBytesView)
                }
                return bytes
            }
            group.addTask {
                try await Task.sleep(for: uploadTime)
                throw HTTPError(.requestTimeout)
            }
            return try await group.next() ?? Data()
        }
    }

    /// The status that says what was wrong with an upload.
    private static func status(of error: ImageDecodingError) -> HTTPResponse.Status {
        switch error.fault {
        case .limit: .contentTooLarge
        case .unsupported: .unsupportedMediaType
        case .data, .incomplete, .request, .cancelled: .unprocessableContent
        }
    }
}

/// Counts uploads, so that their number is bounded.
final class UploadSlots: Sendable {
    private let left: Mutex<Int>

    init(limit: Int) { left = Mutex(limit) }

    func take() -> Bool {
        left.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
    }

    func free() { left.withLock { $0 += 1 } }
}
// snippet.end

/// A server on loopback: `upload-server [PORT [SECONDS]]`. Port 0, the default, is any that is free; it is printed.
@main
struct UploadServer {
    static func main() async throws {
        let numbers = CommandLine.arguments.dropFirst().map { Int($0) ?? 0 }
        // snippet.upload-router
        let uploads = UploadHandler(uploadTime: .seconds(numbers.dropFirst().first ?? 30))
        let router = Router()
        router.post("images") { request, _ in try await uploads.handle(request) }
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: numbers.first ?? 0)),
            onServerRunning: { channel in
                print("listening on port \(channel.localAddress?.port ?? 0)")
                fflush(nil)
            })
        try await application.runService()
        // snippet.end
    }
}
