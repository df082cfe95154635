import FirnData
import FirnSystem
import FirnTesting
import FoundationEssentials

/// Serves the files of a catalog, with `ETag` and single ranges.
///
/// Only listed files are served: a request's path is looked up and never becomes part of a file's path.
struct FileResponder: Sendable {
    /// The files by their paths on the server.
    let files: [String: String]

    func response(to request: ScriptedServer.Request) -> ScriptedResponse {
        guard request.method == "GET" || request.method == "HEAD" else { return .status(405, "Method Not Allowed") }
        let place = request.path.prefix { $0 != "?" }
        guard let path = files[String(place)], let file = CatalogFile(path: path),
            let data = try? LocalFileSystem().read(path)
        else { return .status(404, "Not Found") }
        var response = FileResponder.response(file, data, request.headers)
        response.headers["Content-Type"] = file.mediaType
        response.headers["ETag"] = file.entityTag
        response.headers["Accept-Ranges"] = "bytes"
        response.headers["Cache-Control"] = "max-age=3600"
        return response
    }

    /// Returns the status and the bytes for the fields of a request.
    private static func response(_ file: CatalogFile, _ data: Data, _ fields: HTTPHeaderFields) -> ScriptedResponse {
        if fields["If-None-Match"] == file.entityTag { return .status(304, "Not Modified") }
        // A range of a file that has changed would not fit the bytes that the client has.
        let isSame = fields["If-Range"].map { $0 == file.entityTag } ?? true
        switch ByteRange(isSame ? fields["Range"] : nil, size: data.count) {
        case .whole: return .body(data)
        case .unsatisfiable:
            var response = ScriptedResponse.status(416, "Range Not Satisfiable")
            response.headers["Content-Range"] = "bytes */\(data.count)"
            return response
        case .part(let part):
            let start = data.startIndex
            var response = ScriptedResponse.status(
                206, "Partial Content", body: data[start + part.lowerBound...start + part.upperBound])
            response.headers["Content-Range"] = "bytes \(part.lowerBound)-\(part.upperBound)/\(data.count)"
            return response
        }
    }
}

/// The requested part of a file (RFC 9110 §14).
enum ByteRange: Equatable {
    case whole
    case part(ClosedRange<Int>)
    case unsatisfiable

    /// Reads a `Range` field for a file of `size` bytes. Several ranges, other units and invalid values select the
    /// whole file.
    init(_ field: String?, size: Int) {
        self = .whole
        guard let field, field.hasPrefix("bytes=") else { return }
        let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return }
        switch (Int(ends[0]), Int(ends[1])) {
        case (let first?, let last?) where first <= last:
            self = first < size ? .part(first...min(last, size - 1)) : .unsatisfiable
        case (let first?, nil) where ends[1].isEmpty:
            self = first < size ? .part(first...(size - 1)) : .unsatisfiable
        case (nil, let count?) where ends[0].isEmpty:
            self = count > 0 && size > 0 ? .part(max(0, size - count)...(size - 1)) : .unsatisfiable
        default: break
        }
    }
}

/// The metadata of a served file.
struct CatalogFile: Equatable {
    let path: String
    let size: Int
    /// Strong: changes whenever the file is replaced or written to, within the resolution of its modification time.
    let entityTag: String

    /// Returns `nil` if there is no such regular file.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        self.path = path
        size = Int(status.st_size)
        let parts = [Int(status.st_ino), size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        entityTag = "\"" + parts.map { String($0, radix: 36) }.joined(separator: "-") + "\""
    }

    /// The media type by the extension, for browsers. Firn detects formats by content.
    var mediaType: String {
        switch path.split(separator: ".").last?.lowercased() {
        case "jpg", "jpeg": "image/jpeg"
        case "png": "image/png"
        case "webp": "image/webp"
        case "gif": "image/gif"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }
}

/// An HTTP server on 127.0.0.1 for the demonstration, at full speed. ``SlowLoader`` stands in for a phone's line to it.
package final class DemoServer: Sendable {
    private let server: ScriptedServer

    /// Starts a server at a free port.
    ///
    /// - Parameter files: the served files by path, as in the address.
    /// - Throws: `SocketError` if the server cannot listen.
    package init(files: [String: String]) throws {
        let responder = FileResponder(files: files)
        server = try ScriptedServer { responder.response(to: $0) }
    }

    package var port: Int { server.port }

    /// Closes every connection and waits until no thread of the server remains.
    package func stop() { server.stop() }
}
