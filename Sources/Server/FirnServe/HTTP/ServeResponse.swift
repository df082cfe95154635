import FirnSync
import HTTPTypes
import Hummingbird
import CFirnZlib

struct ResultResponse: Sendable {
    let recent: RecentResponse
    let language: RequestLanguage
    let body: ByteBuffer
    let peer: Peer
    let name: String

    /// The fields of the response without those that differ between responses.
    var allHeaders: HTTPFields {
        var headers = recent.headers
        headers[.contentLength] = String(body.readableBytes)
        headers[.server] = ServeResponse.serverName
        return headers
    }
}

/// Responses that all languages share.
enum ServeResponse {
    static let serverName = "firn"

    /// Returns the response with a result, or the part of it that the client requested.
    static func result(_ result: ServedResult, _ request: Request, headers: HTTPFields) -> Response {
        var headers = headers
        headers[.contentType] = result.mediaType
        headers[.eTag] = result.entityTag
        let modified = result.isPartial ? nil : result.terms.modified
        headers[.lastModified] = modified.map { HTTPDate.text(Int64($0)) }
        headers[.acceptRanges] = "bytes"
        // The source may be complete soon.
        if result.isPartial { headers[.cacheControl] = "no-store" }
        let count = result.count
        let plan = ResponsePlan(
            request.headers, isHead: request.method == .head, entityTag: result.entityTag, modified: modified,
            count: count)
        switch plan {
        case .failed: return failure(ServeError(412, "the result does not meet the conditions of the request"))
        case .notModified: return Response(status: .notModified, headers: headers)
        case .notSatisfiable:
            headers[.contentRange] = "bytes */\(count)"
            // These fields describe a result, not this response.
            headers[.cacheControl] = "no-store"
            headers[.contentType] = nil
            headers[.contentDisposition] = nil
            return Response(status: .rangeNotSatisfiable, headers: headers)
        case .part(let part):
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(count)"
            let slice = result.body.getSlice(at: result.body.readerIndex + part.lowerBound, length: part.count)
            return Response(
                status: .partialContent, headers: headers, body: ResponseBody(byteBuffer: slice ?? ByteBuffer()))
        case .whole:
            return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: result.body))
        }
    }

    /// Returns the response with a text, compressed for clients that accept it.
    static func document(
        _ mediaType: String, _ text: String, _ request: Request, headers: HTTPFields
    ) -> Response {
        var (data, headers) = (Data(text.utf8), headers)
        let weights = FieldList.weights(request.headers[.acceptEncoding] ?? "")
        if weights["gzip"] ?? weights["*"] ?? 0 > 0, let compressed = GzipCoding.compressed(data) {
            data = compressed
            headers[.contentEncoding] = "gzip"
        }
        let result = ServedResult(
            body: ByteBuffer(bytes: data), mediaType: mediaType, entityTag: ServedResult.entityTag(of: data), made: 0)
        return ServeResponse.result(result, request, headers: headers)
    }

    /// Returns the response for an error: one line of text.
    ///
    /// - Parameter more: a second line. Default: none.
    static func failure(_ error: ServeError, _ more: String? = nil) -> Response {
        let lines = more.map { "\(error.message)\n\($0)" } ?? error.message
        var response = text(HTTPResponse.Status(code: error.status), lines)
        response.headers[.cacheControl] = "no-store"
        response.headers[.retryAfter] = error.retryAfter.map { String($0) }
        return response
    }

    static func text(_ status: HTTPResponse.Status, _ text: String) -> Response {
        content("text/plain; charset=utf-8", text + "\n", status: status)
    }

    /// Returns a response with a text.
    static func content(_ mediaType: String, _ text: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: mediaType],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    static func page(_ page: PageResource) -> Response {
        var response = content(page.mediaType, page.body)
        response.headers[.cacheControl] = page.isConstant ? "max-age=3600, public" : "no-cache"
        response.headers[.contentSecurityPolicy] = page.policy
        response.headers.set("Referrer-Policy", "no-referrer")
        return response
    }

    /// Returns the response of `/health`: 200, or 503 while the server drains.
    static func health(isDraining: Bool) -> Response {
        var response = isDraining ? text(.serviceUnavailable, "draining") : text(.ok, "ok")
        response.headers[.cacheControl] = "no-cache"
        return response
    }

    /// Sets the security fields of a response.
    static func secure(_ response: inout Response) {
        if response.headers[.contentSecurityPolicy] == nil {
            response.headers[.contentSecurityPolicy] = ImgproxyHeaders.contentSecurityPolicy
        }
        response.headers[.xContentTypeOptions] = "nosniff"
    }
}

/// The value of the Date field, formatted once a second.
enum ResponseDate {
    private static let last = Locked((second: Int.min, text: ""))

    static var now: String {
        let second = ServeClock.seconds()
        return last.withLock { last in
            if last.second != second { last = (second, HTTPDate.text(Int64(second))) }
            return last.text
        }
    }
}

extension HTTPFields {
    func value(_ name: String) -> String? { HTTPField.Name(name).flatMap { self[$0] } }

    mutating func set(_ name: String, _ value: String) {
        if let name = HTTPField.Name(name) { self[name] = value }
    }
}

extension ImageService {
    /// Waits for a result. The work is cancelled when the last waiting client closes its connection.
    ///
    /// - Parameter isLasting: whether a later request gets the same header fields. Default: true.
    func result(of job: ResultJob, for context: ServeContext, isLasting: Bool = true) async throws(ServeError)
        -> ServedResult
    {
        let result: ServedResult
        if let hit = cached(job) {
            result = hit
        } else {
            guard let presence = context.presence else { throw .clientClosed }
            let client = context.client
            result = try await presence.whileThere(atMost: timeLimit) { () async throws(ServeError) in
                try await self.result(of: job, client: client)
            }
        }
        context.note.withLock { $0.result = job.source }
        if isLasting, result.mayKeep {
            let condition = ResponseCondition(job: job, entityTag: result.entityTag, terms: result.terms)
            context.note.withLock { $0.condition = condition }
        }
        return result
    }
}

/// The part of a result that a client gets. A pure value.
///
/// - Source: RFC 9110 §13.2.2, §14.2.
enum ResponsePlan: Sendable, Equatable {
    /// 200 with the whole result.
    case whole
    /// 206 with a range of bytes.
    case part(Range<Int>)
    /// 304: the client has it.
    case notModified
    /// 416: the range starts after the end.
    case notSatisfiable
    /// 412: the client wants another result.
    case failed

    /// - Parameters:
    ///   - fields: those of the request.
    ///   - isHead: whether the method is HEAD, for which ranges have no meaning.
    ///   - entityTag: the strong validator of the result.
    ///   - modified: the time of its last change, in seconds since 1970; `nil` if it is unknown.
    ///   - count: the length of the result in bytes.
    init(_ fields: HTTPFields, isHead: Bool = false, entityTag: String, modified: Int?, count: Int) {
        func tags(_ name: HTTPField.Name) -> [String]? { fields[name].map { FieldList.members($0) } }
        /// True if the result has changed since the time in a field; `nil` without either time.
        func hasChanged(since name: HTTPField.Name) -> Bool? {
            guard let modified, let text = fields[name] else { return nil }
            return HTTPDate.anySeconds(text, now: Int64(ServeClock.seconds())).map { Int64(modified) > $0 }
        }
        let (expected, known) = (tags(.ifMatch), tags(.ifNoneMatch))
        let (range, ifRange) = (isHead ? nil : fields[.range], fields[.ifRange])
        if let expected, expected != ["*"], !expected.contains(entityTag) {
            self = .failed
        } else if expected == nil, hasChanged(since: .ifUnmodifiedSince) == true {
            self = .failed
        } else if known == ["*"] || known?.contains(where: { EntityTag.isSame($0, entityTag) }) == true {
            self = .notModified
        } else if known == nil, hasChanged(since: .ifModifiedSince) == false {
            self = .notModified
        } else if let range, ifRange == nil || ifRange == entityTag, let spec = RangeSpec(range) {
            self = spec.bytes(of: count).map { .part($0) } ?? .notSatisfiable
        } else {
            // Multiple ranges and other units are ignored.
            self = .whole
        }
    }
}

enum GzipCoding {
    /// Returns data as one gzip member; `nil` if that is not shorter.
    static func compressed(_ data: Data) -> Data? {
        var (stream, input, output) = (z_stream(), Array(data), [UInt8](repeating: 0, count: data.count))
        // 15 bits of window, and 16 for the frame of gzip.
        guard let length = UInt32(exactly: data.count),
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        (stream.avail_in, stream.avail_out) = (length, length)
        let code = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                (stream.next_in, stream.next_out) = (input.baseAddress, output.baseAddress)
                return deflate(&stream, Z_FINISH)
            }
        }
        return code == Z_STREAM_END ? Data(output.prefix(Int(stream.total_out))) : nil
    }
}
