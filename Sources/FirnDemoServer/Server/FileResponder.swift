import FirnData
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
