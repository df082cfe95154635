import FirnData
import FirnReport
import FoundationEssentials
import HTTPTypes
import Hummingbird

extension ServeResponder {
    /// Serves `POST /purge` of the operator's port: one of `result`, `source`, `prefix` and `all`, in the query or as a
    /// form.
    func purge(_ request: Request) async -> Response {
        let parts = (request.head.path ?? "/").split(separator: "?", maxSplits: 1)
        guard parts.first == "/purge" else { return ServeResponse.text(.notFound, "POST is for /purge") }
        // Browsers send this field; pages of other sites must not purge.
        guard !request.headers.contains(.origin) else { return ServeResponse.text(.forbidden, "not for browsers") }
        return await response { () async throws(ServeError) in
            let text: String
            if parts.count > 1 {
                text = String(parts[1])
            } else {
                guard let body = try? await request.body.collect(upTo: 16 << 10) else {
                    throw ServeError(413, "a purge has at most 16 KiB")
                }
                text = String(buffer: body)
            }
            let pair = text.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, !text.utf8.contains(UInt8(ascii: "&")) else { throw ServeResponder.usage }
            return try await target(pair[0], ServeResponder.decoded(pair[1].utf8))
        }
    }

    /// Serves `POST /SIGNATURE/purge/EXPIRES/KIND/VALUE` if there are keys. The signature covers what follows it.
    ///
    /// Trusted signatures do not count, since they fit any path.
    func signedPurge(_ target: String, _ request: Request) async -> Response {
        var strict = settings.imgproxy
        strict.trustedSignatures = []
        guard !strict.keyPairs.isEmpty, let (signature, path) = try? ImgproxyPath.split(target: target, prefix: prefix),
            path.starts(with: "/purge/".utf8)
        else { return refused() }
        return await response { [strict] () async throws(ServeError) in
            try authorize(request)
            try ImgproxySigner(settings: strict).check(signature, path: path)
            let slash = UInt8(ascii: "/")
            let parts = path.dropFirst(7).split(separator: slash, maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count > 1, let expires = Int(String(decoding: parts[0], as: UTF8.self)), expires > now() else {
                throw .notFound("purge: the time after which it is refused is missing or past")
            }
            let (kind, value) = (String(decoding: parts[1], as: UTF8.self), parts.count > 2 ? parts[2] : [])
            // The path of a result stays as it is in its URL.
            if kind == "result" { return try await self.target("result", "/" + String(decoding: value, as: UTF8.self)) }
            return try await self.target(kind[...], kind == "all" ? "1" : ServeResponder.decoded(value))
        }
    }

    /// Purges what `target` returns, and responds with the answer or the error.
    private func response(
        _ target: () async throws(ServeError) -> PurgeTarget
    ) async -> Response {
        do throws(ServeError) {
            let target = try await target()
            var answer = try await service.purges.purge(target)
            if case .source(let source) = target {
                answer.append(("cacheTag", .string(Purges.cacheTag(source))))
            }
            var response = ServeResponse.content("application/json", JSONValue.object(answer).text + "\n")
            response.headers[.cacheControl] = "no-store"
            return response
        } catch {
            return ServeResponse.failure(error)
        }
    }

    private static let usage = ServeError(400, "purge: give one of result=PATH, source=ADDRESS, prefix=TEXT and all=1")

    private static func decoded(_ text: some Collection<UInt8>) throws(ServeError) -> String {
        guard let bytes = PercentEncoding.strictlyDecoded(text), let value = String(validating: bytes, as: UTF8.self),
            !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }), bytes.count <= PurgeLog.maximumText
        else { throw usage }
        return value
    }

    private func target(_ kind: Substring, _ value: String) async throws(ServeError) -> PurgeTarget {
        switch kind {
        case "all" where value == "1": return .all
        case "result": return .result(try await job(value).name)
        case "source": return .source(try service.purges.source(value, settings))
        case "prefix" where !value.isEmpty: return .prefix(Purges.prefix(value))
        default: throw ServeResponder.usage
        }
    }

    /// Returns the job of an image's path, for a client that states no formats and no sizes.
    private func job(_ path: String) async throws(ServeError) -> ResultJob {
        if let (job, _) = try await detail(path) { return job }
        guard !path.hasPrefix(IIIFParser.prefix) else {
            throw ServeError(422, "purge: results of IIIF are purged with their source, local:///ID")
        }
        let parsed = try parser.parse(target: path, now: now())
        let source = try await service.source(parsed.source, settings)
        return ImgproxyRendering(request: parsed, settings: settings.imgproxy, accept: "").job(source)
    }
}

extension Purges {
    /// Returns the name of a source by its address.
    ///
    /// - Throws: status 404 if sources may not have it.
    func source(_ address: String, _ settings: ServeSettings) throws(ServeError) -> String {
        guard address.hasPrefix("local://") else { return name(of: try SourceReference(address, settings)) }
        return name(ofFile: try SourceReference.requestedPath(address.dropFirst(8), settings.localRoot))
    }

    /// Returns the start of names of sources whose addresses start with a text.
    static func prefix(_ text: String) -> String {
        // Keys of objects are encoded in names, and hosts are in lower case.
        if text.hasPrefix("s3://") { return "s3://" + S3Location.encoded(text.dropFirst(5)) }
        return WebAddress(text)?.resource ?? text
    }

    func cacheTag(of source: SourceReference) -> String { Purges.cacheTag(name(of: source)) }

    /// Returns the value of the field `Cache-Tag` for a source.
    static func cacheTag(_ name: String) -> String {
        String(HexadecimalDigest.text(of: Data(name.utf8)).prefix(32))
    }
}
