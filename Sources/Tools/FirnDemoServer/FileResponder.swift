import FirnData
import FirnHTTP
import FirnImage
package import FirnTesting

/// Serves the files of a catalog, with `ETag` and single ranges.
///
/// Only listed files are served: a request's path is looked up and never becomes part of a file's path.
struct FileResponder: Sendable {
    let files: [String: String]

    func response(to request: ScriptedServer.Request) -> ScriptedResponse {
        guard request.method == "GET" || request.method == "HEAD" else { return .status(405, "Method Not Allowed") }
        let place = request.path.prefix { $0 != "?" }
        guard let path = files[String(place)], let file = try? LocalFileSystem().load(path), file.status.isRegular
        else { return .status(404, "Not Found") }
        let tag = FileResponder.entityTag(of: file.status)
        var response = FileResponder.response(file.data(), tag, request.headers)
        // For browsers. Firn detects formats by content.
        let format = ImageFormat(ending: path.split(separator: ".").last?.lowercased() ?? "")
        response.headers["Content-Type"] = format.mediaType ?? "application/octet-stream"
        response.headers["ETag"] = tag
        response.headers["Accept-Ranges"] = "bytes"
        response.headers["Cache-Control"] = "max-age=3600"
        return response
    }

    /// Strong: changes whenever the file is replaced or written to, within the resolution of its modification time.
    static func entityTag(of status: FileStatus) -> String {
        let parts = [Int64(truncatingIfNeeded: status.inode), Int64(status.size), status.modified]
        return "\"" + parts.map { String($0, radix: 36) }.joined(separator: "-") + "\""
    }

    /// Returns the status and the bytes for the fields of a request.
    private static func response(_ data: Data, _ tag: String, _ fields: HTTPHeaderFields) -> ScriptedResponse {
        if fields["If-None-Match"] == tag { return .status(304, "Not Modified") }
        // A range of a file that has changed would not fit the bytes that the client has.
        let isSame = fields["If-Range"].map { $0 == tag } ?? true
        guard isSame, let range = fields["Range"].flatMap({ RangeSpec($0) }) else { return .body(data) }
        guard let part = range.bytes(of: data.count) else {
            var response = ScriptedResponse.status(416, "Range Not Satisfiable")
            response.headers["Content-Range"] = "bytes */\(data.count)"
            return response
        }
        var response = ScriptedResponse.status(
            206, "Partial Content", body: data.dropFirst(part.lowerBound).prefix(part.count))
        response.headers["Content-Range"] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(data.count)"
        return response
    }
}

extension ScriptedServer {
    /// Starts a server of files, at full speed. ``SlowLoader`` stands in for a phone's line to it.
    ///
    /// - Parameter files: the served files by path, as in the address.
    /// - Throws: an error if the server cannot listen.
    package convenience init(files: [String: String]) throws {
        let responder = FileResponder(files: files)
        try self.init { responder.response(to: $0) }
    }
}
