import FirnSync
import HTTPTypes
package import Hummingbird

/// Responds to requests: `/health`, IIIF below `/iiif/`, its viewer below `/view/`, imgproxy's paths otherwise.
///
/// Works on the raw request target, because signatures are of its bytes.
package struct ServeResponder: HTTPResponder {
    package typealias Context = ServeContext

    private let service: ImageService
    private let settings: ServeSettings
    private let iiif: IIIFResponder
    private let details: DetailResponder
    private let parser: ImgproxyParser
    private let negotiation: ImgproxyNegotiation
    private let recent = RecentResponses()
    /// The seconds since 1970.
    private let now: @Sendable () -> Int

    package init(_ service: ImageService, _ settings: ServeSettings, now: @escaping @Sendable () -> Int) {
        self.service = service
        self.settings = settings
        self.now = now
        iiif = IIIFResponder(service, settings)
        details = DetailResponder(service, settings, now: now)
        parser = ImgproxyParser(settings: settings.imgproxy)
        negotiation = ImgproxyNegotiation(settings: settings.imgproxy)
    }

    package func respond(to request: Request, context: ServeContext) async throws -> Response {
        let target = request.head.path ?? "/"
        var response =
            switch request.method {
            case .get, .head: await makeResponse(to: target, request, context)
            case .options: preflight()
            default: refused()
            }
        if response.headers[.contentSecurityPolicy] == nil {
            response.headers[.contentSecurityPolicy] = ImgproxyHeaders.contentSecurityPolicy
        }
        response.headers[.xContentTypeOptions] = "nosniff"
        if response.status == .ok, let condition = context.condition.withLock({ $0 }) {
            recent.keep(
                RecentResponses.Entry(condition: condition, headers: response.headers, source: context.note.source),
                for: AskedWords(request.head))
        }
        if request.method == .head { response.body = ResponseBody(contentLength: response.body.contentLength) { _ in } }
        return response
    }

    /// Returns the response to a repeated request, if its result is in memory and its source the same.
    func cachedResponse(to head: HTTPRequest, _ note: RequestNote) -> ResultResponse? {
        guard let known = recent.entry(for: AskedWords(head)),
            let result = service.cached(known.condition.job, entityTag: known.condition.entityTag)
        else { return nil }
        if let source = known.source { note.note(source: source) }
        return ResultResponse(headers: known.headers, body: result.body)
    }

    private func makeResponse(to target: String, _ request: Request, _ context: ServeContext) async -> Response {
        if target == "/health" {
            var response = ServeResponse.text(.ok, "ok")
            response.headers[.cacheControl] = "no-cache"
            return response
        }
        if let response = await iiif.respond(to: target, request, context) { return response }
        do throws(ServeError) {
            if let page = try ViewerPage.resource(target: target) { return ServeResponse.page(page) }
            if let response = try await details.respond(to: target, request, context) { return response }
            return try await image(target, request, context)
        } catch {
            context.note.note(error)
            return ServeResponse.failure(error)
        }
    }

    private func preflight() -> Response {
        var response = Response(status: .noContent)
        for field in IIIFHeaders.crossOrigin + IIIFHeaders.preflight { response.headers.set(field.name, field.value) }
        return response
    }

    private func refused() -> Response {
        var response = ServeResponse.text(.methodNotAllowed, "GET and HEAD are served")
        response.headers[.allow] = "GET, HEAD, OPTIONS"
        return response
    }

    // MARK: imgproxy's language

    private func image(_ target: String, _ request: Request, _ context: ServeContext) async throws(ServeError)
        -> Response
    {
        let hints = ImgproxyClientHints(
            dpr: request.headers.value("Sec-CH-DPR") ?? request.headers.value("DPR"),
            width: request.headers.value("Sec-CH-Width") ?? request.headers.value("Width"),
            saveData: request.headers.value("Save-Data"))
        let parsed = try parser.parse(target: target, now: now(), hints: hints)
        context.note.note(source: parsed.source)
        let rendering = ImgproxyRendering(
            request: parsed, settings: settings.imgproxy, accept: request.headers[.accept] ?? "")
        let job = ResultJob(source: try SourceReference(parsed.source, settings), options: rendering.key) {
            (source) throws(ServeError) in
            try rendering.plan(source)
        }
        let expires = parsed.options.expires
        let result = try await service.result(of: job, for: context, isLasting: expires == nil)
        var headers = HTTPFields()
        headers[.vary] = negotiation.vary
        headers[.cacheControl] = ImgproxyHeaders.cacheControl(
            status: 200, timeToLive: settings.imgproxy.timeToLive, expires: expires, now: now())
        headers[.contentDisposition] = ImgproxyHeaders.contentDisposition(
            request: parsed, format: ImgproxyFormat(mediaType: result.mediaType) ?? parsed.options.format ?? .jpeg)
        return ServeResponse.result(result, request, headers: headers)
    }
}
