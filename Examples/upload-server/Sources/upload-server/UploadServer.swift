import FirnCodecs
import Glibc
import Hummingbird

/// Accepts images at `POST /images` and responds with WebP: `upload-server [PORT [SECONDS [HOST]]]`.
///
/// PORT 0, the default, chooses a free port, which is printed. An upload must arrive within SECONDS. HOST is the
/// address to listen on: loopback by default, 0.0.0.0 in a container. `GET /health` responds with 200.
@main
struct UploadServer {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let numbers = arguments.map { Int($0) ?? 0 }
        var limits = ImageConverter.Configuration.upload
        if numbers.count > 1 { limits.receivingTime = .seconds(numbers[1]) }
        let router = Router()
        router.get("health") { _, _ in HTTPResponse.Status.ok }
        // snippet.upload-server
        let converter = try ImageConverter(limits)
        router.post("images") { request, _ in
            do {
                let result = try await converter.convert(
                    request.body.map(\.readableBytesView), to: .webp, targetSize: 1600)
                return response(to: result)
            } catch let error as ImageError {
                throw HTTPError(.init(code: error.responseStatus), message: error.message)
            }
        }
        // snippet.end
        let application = Application(
            router: router,
            configuration: .init(
                address: .hostname(arguments.count > 2 ? arguments[2] : "127.0.0.1", port: numbers.first ?? 0)),
            onServerRunning: { channel in
                print("listening on port \(channel.localAddress?.port ?? 0)")
                fflush(nil)
            })
        try await application.runService()
    }

    // snippet.upload-response
    /// Returns the file, with its size and BlurHash as header fields.
    static func response(to result: ImageConverter.Output) -> Response {
        var headers: HTTPFields = [.contentType: result.mediaType]
        for (name, value) in [
            ("Image-Size", "\(result.size)"),
            ("Image-BlurHash", result.blurHash?.text ?? ""),
        ] {
            if let name = HTTPFields.Element.Name(name) { headers[name] = value }
        }
        return Response(
            status: .ok, headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: result.data)))
    }
    // snippet.end
}
