import FirnSync
import HTTPTypes
import Hummingbird
import NIOCore

/// Responds to requests: `/health`, IIIF below `/iiif/` and `/iiif2/`, its viewer below `/view/`, imgproxy's paths
/// otherwise.
///
/// Uses the raw request target, because its bytes are signed.
final class ServeResponder: HTTPResponder {
    typealias Context = ServeContext

    // Functions marked `@inline(never)` are called by those that wait for sources. Inlined, their temporary values
    // would be part of the memory of each waiting request.

    let service: ImageService
    let settings: ServeSettings
    let parser: ImgproxyParser
    /// The recent responses, each to a request of at most a kilobyte.
    private let recent = Locked(BoundedMap<ResponseKey, RecentResponse>(limit: 4096))
    /// The seconds since 1970.
    let now: @Sendable () -> Int

    init(_ service: ImageService, _ settings: ServeSettings, now: @escaping @Sendable () -> Int) {
        self.service = service
        self.settings = settings
        self.now = now
        parser = ImgproxyParser(settings: settings.imgproxy)
    }

    func respond(to request: Request, context: ServeContext) async throws -> Response {
        let target = request.head.path ?? "/"
        let response =
            switch request.method {
            case .get, .head: await makeResponse(to: target, request, context)
            case .options: preflight(target)
            case .post: await signedPurge(target, request, context.presence)
            default: refused()
            }
        return completed(response, target, request, context)
    }

    /// Completes a response and notes it for repeated requests.
    @inline(never)
    private func completed(
        _ response: Response, _ target: String, _ request: Request, _ context: ServeContext
    ) -> Response {
        var response = response
        complete(&response, target)
        let note = context.note.withLock { $0 }
        if settings.sendsCacheTag, let source = note.result {
            response.headers.set("Cache-Tag", cacheTag(of: source))
        }
        if response.status == .ok, let condition = note.condition {
            let isTrusted = isTrusted(NetworkAddress(context.remoteAddress))
            let key = ResponseKey(request.head, isTrusted: isTrusted, more: settings.clientFields)
            let stored = RecentResponse(condition: condition, headers: response.headers, source: note.source)
            if key.length <= ResponseKey.maximumBytes { recent.withLock { $0.store(stored, for: key) } }
        }
        if request.method == .head { response.body = ResponseBody(contentLength: response.body.contentLength) { _ in } }
        return response
    }

    /// The path prefix of imgproxy's language.
    var prefix: String { settings.imgproxy.pathPrefix }

    /// Returns whether a connection comes from a proxy whose fields are read.
    func isTrusted(_ address: NetworkAddress?) -> Bool {
        guard let address else { return false }
        return settings.trustedProxies.contains { $0.contains(address) }
    }

    /// Returns the response to a repeated request if its result is in memory and its source is unchanged.
    ///
    /// - Parameter isTrusted: whether it comes from a proxy whose fields are read.
    func cachedResponse(to head: HTTPRequest, isTrusted: Bool) -> (recent: RecentResponse, body: ByteBuffer)? {
        let key = ResponseKey(head, isTrusted: isTrusted, more: settings.clientFields)
        guard var recent = recent.withLock({ $0.value(for: key) }),
            let result = service.cached(recent.condition.job, recent.condition)
        else { return nil }
        if result.terms.freshUntil != .max { recent.headers[.cacheControl] = cacheControl(result.terms) }
        return (recent, result.body)
    }

    /// Returns the `Cache-Control` of a result.
    ///
    /// - Parameter expires: the end that the request states, in seconds since 1970. Default: none.
    func cacheControl(_ terms: SourceTerms, expires: Int? = nil) -> String {
        ImgproxyHeaders.cacheControl(
            timeToLive: settings.imgproxy.timeToLive, expires: expires, terms: terms, now: now())
    }

    /// Sets the fields that all responses have: security, allowed origins, and those of the configuration.
    private func complete(_ response: inout Response, _ target: String) {
        ServeResponse.secure(&response)
        let isOpen = [.information, .placeholder].contains(RequestLanguage(target: target, prefix: prefix))
        let origin = response.headers[.accessControlAllowOrigin] ?? settings.imgproxy.allowedOrigin
        response.headers[.accessControlAllowOrigin] = origin ?? (isOpen ? "*" : nil)
        for rule in settings.responseFields { if let value = rule.value { response.headers.set(rule.name, value) } }
    }

    private func makeResponse(to target: String, _ request: Request, _ context: ServeContext) async -> Response {
        if target == "/health" { return ServeResponse.health(isDraining: false) }
        if let response = await iiif(target, request, context) { return response }
        do throws(ServeError) {
            if let page = try ViewerPage.resource(target: target) { return ServeResponse.page(page) }
            try authorize(request)
            if isDetail(target), let response = try await details(target, request, context) { return response }
            return try await image(target, request, context)
        } catch {
            context.note.withLock { $0.error = error }
            return ServeResponse.failure(error, signedText(target, error))
        }
    }

    /// Returns the signed text of a target with a wrong signature, if the settings allow showing it.
    private func signedText(_ target: String, _ error: ServeError) -> String? {
        guard settings.imgproxy.showsSignedText, error.message.hasPrefix("signature:"),
            let text = try? ImgproxyPath.signedPath(target: target, prefix: settings.imgproxy.pathPrefix)
        else { return nil }
        return "what is signed, behind the salt: \(text)"
    }

    private func preflight(_ target: String) -> Response {
        var response = Response(status: .ok)
        let open = IIIFVersion(target: target) != nil ? IIIFHeaders.crossOrigin : []
        for field in open + IIIFHeaders.preflight { response.headers.set(field.name, field.value) }
        return response
    }

    func refused() -> Response {
        var response = ServeResponse.text(.methodNotAllowed, "GET and HEAD are served")
        response.headers[.allow] = "GET, HEAD, OPTIONS"
        return response
    }

    /// Checks the configured secret, if there is one.
    func authorize(_ request: Request) throws(ServeError) {
        guard let secret = settings.imgproxy.secret else { return }
        guard ImgproxySigner.isEqual((request.headers[.authorization] ?? "").utf8, "Bearer \(secret)".utf8)
        else {
            throw ServeError(403, "the Authorization field is missing or wrong")
        }
    }

    /// Checks an address and finds its file, which may be on a file system that does not respond.
    ///
    /// - Parameters:
    ///   - client: the fields of the client. Default: none.
    ///   - presence: cancels the wait for a file when the client leaves or at the time limit. `nil` if it has left.
    /// - Throws: as ``SourceReference/init(_:_:client:)``; ``ServeError/timeout`` at the time limit.
    func source(
        _ address: String, client: HTTPFields = [:], _ presence: ClientPresence?
    ) async throws(ServeError) -> SourceReference {
        guard address.hasPrefix("local://") else { return try remote(address, client) }
        let path = address.dropFirst(8)
        if let source = try service.files.recent(path) { return source }
        guard let presence else { throw .clientClosed }
        return try await presence.whileThere(atMost: settings.timeLimit) { [service] () async throws(ServeError) in
            try await service.files.source(path)
        }
    }

    /// Checks the watermark that a request names; `nil` if it names none.
    ///
    /// - Throws: as ``source(_:client:_:)``.
    func watermark(
        _ options: ImgproxyOptions.Watermark, _ presence: ClientPresence?
    ) async throws(ServeError) -> RequestedWatermark? {
        switch options.image {
        case .text(let text) where options.opacity > 0: return .text(text)
        case .address(let address) where options.opacity > 0:
            do { return .image(try await source(address, presence)) } catch { throw ServeError(ofWatermark: error) }
        default: return nil
        }
    }

    @inline(never)
    private func remote(_ address: String, _ client: HTTPFields) throws(ServeError) -> SourceReference {
        try SourceReference(address, settings, client: client)
    }

    // MARK: imgproxy's language

    private func image(_ target: String, _ request: Request, _ context: ServeContext) async throws(ServeError)
        -> Response
    {
        let rendering = try rendering(target, request, context)
        do throws(ServeError) {
            let job = try await job(target, rendering, request, context)
            let result = try await service.result(
                of: job, for: context, isLasting: rendering.request.options.expires == nil)
            return response(with: result, rendering, request, job.source)
        } catch {
            guard let response = await fallback(error, rendering, request, context) else { throw error }
            context.note.withLock { $0.error = error }
            return response
        }
    }

    @inline(never)
    private func rendering(
        _ target: String, _ request: Request, _ context: ServeContext
    ) throws(ServeError) -> ImgproxyRendering {
        let hints = ImgproxyClientHints(
            dpr: request.headers.value("Sec-CH-DPR") ?? request.headers.value("DPR"),
            width: request.headers.value("Sec-CH-Width") ?? request.headers.value("Width"),
            saveData: request.headers.value("Save-Data"))
        let parsed = try parser.parse(target: target, now: now(), hints: hints)
        context.note.withLock { $0.address = parsed.source }
        return ImgproxyRendering(
            request: parsed, settings: settings.imgproxy, accept: request.headers[.accept] ?? "")
    }

    @inline(never)
    private func job(
        _ target: String, _ rendering: ImgproxyRendering, _ request: Request, _ context: ServeContext
    ) async throws(ServeError) -> ResultJob {
        let source = try await source(rendering.request.source, client: request.headers, context.presence)
        let watermark = try await watermark(rendering.request.options.watermark, context.presence)
        let plain = settings.imgproxy.usesClientHints ? try parser.parse(target: target, now: now()) : nil
        return rendering.job(source, watermark, plain: plain)
    }

    /// Returns the response with the fallback image for a source that failed; `nil` if there is none, or if the server
    /// or the client is the cause.
    @inline(never)
    private func fallback(
        _ error: ServeError, _ rendering: ImgproxyRendering, _ request: Request, _ context: ServeContext
    ) async -> Response? {
        guard let file = settings.imgproxy.fallbackImage, ![429, 499].contains(error.status) else { return nil }
        guard let source = try? SourceReference.file(named: file),
            let result = try? await service.result(
                of: rendering.job(source, watermark(rendering.request.options.watermark, context.presence)),
                for: context, isLasting: false)
        else { return nil }
        var response = response(with: result, rendering, request, source)
        response.headers.set("Fallback-Image", "1")
        let status = settings.imgproxy.fallbackStatus
        if response.status == .ok { response.status = HTTPResponse.Status(code: status == 0 ? error.status : status) }
        // The source may recover soon.
        response.headers[.cacheControl] = "no-cache"
        return response
    }

    @inline(never)
    private func response(
        with result: ServedResult, _ rendering: ImgproxyRendering, _ request: Request, _ source: SourceReference
    ) -> Response {
        let parsed = rendering.request
        var headers = self.headers(of: result, source, expires: parsed.options.expires, vary: settings.imgproxy.vary)
        if settings.imgproxy.allowedOrigin != nil { headers[.accessControlAllowMethods] = "GET, OPTIONS" }
        if settings.imgproxy.linksSources, case .http(let url, _, _) = source {
            headers.set("Link", ImgproxyHeaders.canonicalLink(to: url))
        }
        headers[.contentDisposition] = ImgproxyHeaders.contentDisposition(
            request: parsed, format: ImgproxyFormat(mediaType: result.mediaType) ?? parsed.options.format ?? .jpeg)
        return ServeResponse.result(result, request, headers: headers)
    }

    /// Returns the fields of a response that follow from its source and its client.
    ///
    /// - Parameter vary: the request fields that the language reads; `nil` for none.
    func headers(
        of result: ServedResult, _ source: SourceReference, expires: Int?, vary: String? = nil
    ) -> HTTPFields {
        var headers = HTTPFields()
        headers[.cacheControl] = cacheControl(result.terms, expires: expires)
        let names = (vary.map { [$0] } ?? []) + source.fields.varying
        headers[.vary] = names.isEmpty ? nil : names.joined(separator: ", ")
        for rule in settings.responseFields where rule.value == nil {
            if let value = result.terms.fields[rule.name] { headers.set(rule.name, value) }
        }
        return headers
    }
}

struct ServeContext: RequestContext, RemoteAddressRequestContext {
    var coreContext: CoreRequestContextStorage
    let remoteAddress: SocketAddress?
    let note = Locked(RequestNote())
    /// The presence of the client; `nil` if it has left.
    var presence: ClientPresence?
    let connection: ObjectIdentifier

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        remoteAddress = source.channel.remoteAddress
        connection = ObjectIdentifier(source.channel)
    }

    /// The address that the limits count by.
    var client: String { remoteAddress?.ipAddress ?? "unknown" }
}

/// The parts of a request that determine its response: the target, the public address, and the fields that the
/// languages read.
struct ResponseKey: Hashable, Sendable {
    /// The maximum length of a stored request, in bytes.
    static let maximumBytes = 1024

    private let target: String
    private let address: PublicAddress
    private let fields: [String?]

    /// - Parameters:
    ///   - isTrusted: whether the request comes from a proxy whose fields are read.
    ///   - more: the names of further fields.
    init(_ head: HTTPRequest, isTrusted: Bool, more: [String]) {
        target = head.path ?? "/"
        address = PublicAddress(head, isTrusted: isTrusted)
        fields = ResponseKey.names.map { head.headerFields[$0] } + more.map { head.headerFields.value($0) }
    }

    private static let names = [.accept, .authorization] + ImgproxyClientHints.fields.compactMap { HTTPField.Name($0) }

    var length: Int {
        fields.reduce(target.utf8.count + address.authority.utf8.count + address.prefix.utf8.count) {
            $0 + ($1?.utf8.count ?? 0)
        }
    }
}

/// A recent response without its body. A repeated request is not verified and parsed again, since only its source and
/// its result can change.
struct RecentResponse: Sendable {
    let condition: ResponseCondition
    var headers: HTTPFields
    /// The source for the log.
    let source: String?
}
