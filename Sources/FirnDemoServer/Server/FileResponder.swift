import HTTPTypes
import Hummingbird

/// Serves the files of a catalog at the speed of the simulated line.
///
/// Only listed files are served: a request's path is looked up and never becomes part of a file's path.
struct FileResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    /// Bytes of one write: small enough that transfers share the line evenly.
    private static let chunkLength = 16 << 10

    let files: [String: String]
    let line: LineSimulator
    private let fileIO = FileIO()

    init(files: [String: String], line: LineSimulator) {
        self.files = files
        self.line = line
    }

    func respond(to request: Request, context: Context) async throws -> Response {
        try await line.waitForLatency()
        guard request.method == .get || request.method == .head else { return Response(status: .methodNotAllowed) }
        guard let path = files[request.uri.path], let file = ServedFile(path: path) else {
            return Response(status: .notFound)
        }
        var headers: HTTPFields = [
            .contentType: file.mediaType, .eTag: file.entityTag, .acceptRanges: "bytes",
            .cacheControl: "max-age=3600",
        ]
        if request.headers[.ifNoneMatch] == file.entityTag { return Response(status: .notModified, headers: headers) }

        // A range of a file that has changed would not fit the bytes that the client has.
        let isSame = request.headers[.ifRange].map { $0 == file.entityTag } ?? true
        var bytes = 0...max(0, file.size - 1)
        var status = HTTPResponse.Status.ok
        switch ByteRange(isSame ? request.headers[.range] : nil, size: file.size) {
        case .whole: break
        case .unsatisfiable:
            headers[.contentRange] = "bytes */\(file.size)"
            return Response(status: .rangeNotSatisfiable, headers: headers)
        case .part(let part):
            bytes = part
            status = .partialContent
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound)/\(file.size)"
        }
        headers[.contentLength] = "\(file.size == 0 ? 0 : bytes.count)"
        guard request.method == .get, file.size > 0 else { return Response(status: status, headers: headers) }

        let line = line
        let body = try await fileIO.loadFile(
            path: file.path, range: bytes, context: context, chunkLength: FileResponder.chunkLength)
        let slowed = body.map { buffer in
            try await line.send(buffer.readableBytes)
            return buffer
        }
        return Response(status: status, headers: headers, body: slowed)
    }
}
