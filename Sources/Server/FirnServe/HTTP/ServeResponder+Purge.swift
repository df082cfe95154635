import FirnReport
import HTTPTypes
import Hummingbird

extension ServeResponder {
    /// Serves `POST /purge?TARGET` of the operator's port.
    func purge(_ request: Request, _ presence: ClientPresence?) async -> Response {
        // Browsers send this field; pages of other sites must not purge.
        guard !request.headers.contains(.origin) else { return ServeResponse.text(.forbidden, "not for browsers") }
        return await response { () async throws(ServeError) in
            try await target(Array((request.head.path ?? "").utf8).dropFirst("/purge?".utf8.count), presence)
        }
    }

    /// Serves `POST /SIGNATURE/purge/EXPIRES/TARGET` if there are keys. The signature covers what follows it.
    func signedPurge(_ target: String, _ request: Request, _ presence: ClientPresence?) async -> Response {
        var strict = settings.imgproxy
        // They fit any path.
        strict.trustedSignatures = []
        guard !strict.keyPairs.isEmpty, let (signature, path) = try? ImgproxyPath.split(target: target, prefix: prefix),
            path.starts(with: "/purge/".utf8)
        else { return refused() }
        return await response { [strict] () async throws(ServeError) in
            try authorize(request)
            try ImgproxySigner(settings: strict).check(signature, path: path)
            let parts = path.dropFirst(7).split(separator: UInt8(ascii: "/"), maxSplits: 1)
            guard parts.count == 2, let expires = Int(String(decoding: parts[0], as: UTF8.self)), expires > now() else {
                throw .notFound("purge: the time of expiry is missing or past")
            }
            return try await self.target(parts[1], presence)
        }
    }

    /// Purges the returned target and responds with the confirmations or the error.
    private func response(_ target: () async throws(ServeError) -> String) async -> Response {
        do throws(ServeError) {
            return ServeResponse.content(
                "application/json", try await service.purges.purge(try await target()).text + "\n")
        } catch {
            return ServeResponse.failure(error)
        }
    }

    /// Parses `all=1`, `prefix=TEXT`, `source=ADDRESS` or `result=PATH`, with values that are percent-encoded once.
    ///
    /// - Returns: the target as in ``PurgeLog``.
    private func target(_ text: ArraySlice<UInt8>, _ presence: ClientPresence?) async throws(ServeError) -> String {
        let equals = text.firstIndex(of: UInt8(ascii: "=")) ?? text.endIndex
        guard let bytes = PercentEncoding.strictlyDecoded(text[equals...].dropFirst()),
            (1...2048).contains(bytes.count),
            !bytes.contains(where: { $0 < 0x20 }), let value = String(validating: bytes, as: UTF8.self)
        else { throw ServeResponder.usage }
        switch String(decoding: text[..<equals], as: UTF8.self) {
        case "all" where value == "1": return "a"
        // Keys of objects are encoded in names, and hosts are in lower case.
        case "prefix" where value.hasPrefix("s3://"): return "ps3://" + S3Location.encoded(value.dropFirst(5))
        case "prefix": return "p" + (WebAddress(value)?.resource ?? value)
        case "source" where value.hasPrefix("local://"):
            let path = try SourceReference.requestedPath(value.dropFirst(8), settings.localRoot)
            return "s" + service.purges.name(ofFile: path)
        case "source": return "s" + service.purges.name(of: try SourceReference(value, settings))
        case "result": return "r" + (try await job(value, presence).name)
        default: throw ServeResponder.usage
        }
    }

    private static let usage = ServeError(400, "purge: give all=1, prefix=TEXT, source=ADDRESS or result=PATH")

    /// Returns the job of an image's path, for a client that states no formats and no sizes.
    private func job(_ path: String, _ presence: ClientPresence?) async throws(ServeError) -> ResultJob {
        if let (job, _) = try await detail(path, presence) { return job }
        guard IIIFVersion(target: path) == nil else {
            throw ServeError(422, "purge: results of IIIF are purged with their source, local:///ID")
        }
        let parsed = try parser.parse(target: path, now: now())
        return ImgproxyRendering(request: parsed, settings: settings.imgproxy, accept: "")
            .job(
                try await source(parsed.source, presence),
                try await watermark(parsed.options.watermark, presence))
    }

    /// The value of the field `Cache-Tag` for results of a source.
    func cacheTag(of source: SourceReference) -> String {
        String(HexadecimalDigest.text(of: Data(service.purges.name(of: source).utf8)).prefix(32))
    }
}
