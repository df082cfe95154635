import HTTPTypes
package import Hummingbird

/// Answers requests: `/health`, IIIF below `/iiif/`, its viewer below `/view/`, imgproxy's paths otherwise.
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
            case .get, .head: await answer(target, request, context)
            case .options: preflight()
            default: refused()
            }
        ServeResponder.secure(&response.headers)
        if request.method == .head { response.body = ResponseBody(contentLength: response.body.contentLength) { _ in } }
        return response
    }

    /// Answers a request in imgproxy's language whose result is in memory.
    func cachedAnswer(to target: String, _ head: HTTPRequest, _ note: RequestNote) -> ResultAnswer? {
        guard let asked = try? ask(target, head.headerFields), let result = service.cached(asked.job) else {
            return nil
        }
        note.note(source: asked.request.source)
        var answer = answer(to: asked, with: result, head.headerFields)
        ServeResponder.secure(&answer.headers)
        return answer
    }

    private static func secure(_ headers: inout HTTPFields) {
        if headers[.contentSecurityPolicy] == nil {
            headers[.contentSecurityPolicy] = ImgproxyHeaders.contentSecurityPolicy
        }
        headers[.xContentTypeOptions] = "nosniff"
    }

    private func answer(_ target: String, _ request: Request, _ context: ServeContext) async -> Response {
        if target == "/health" {
            var response = ServeAnswer.text(.ok, "ok")
            response.headers[.cacheControl] = "no-cache"
            return response
        }
        if let response = await iiif.respond(to: target, request, context) { return response }
        do throws(ServeError) {
            if let page = try ViewerPage.resource(target: target) { return ServeAnswer.page(page) }
            if let response = try await details.respond(to: target, request, context) { return response }
            return try await image(target, request, context)
        } catch {
            context.note.note(error)
            return ServeAnswer.failure(error)
        }
    }

    private func preflight() -> Response {
        var response = Response(status: .noContent)
        for field in IIIFHeaders.crossOrigin + IIIFHeaders.preflight { response.headers.set(field.name, field.value) }
        return response
    }

    private func refused() -> Response {
        var response = ServeAnswer.text(.methodNotAllowed, "GET and HEAD are served")
        response.headers[.allow] = "GET, HEAD, OPTIONS"
        return response
    }

    // MARK: imgproxy's language

    /// A request that was read, and the job whose result it wants.
    private struct Asked {
        let request: ImgproxyRequest
        let job: ResultJob
    }

    private func image(_ target: String, _ request: Request, _ context: ServeContext) async throws(ServeError)
        -> Response
    {
        let asked = try ask(target, request.headers) { context.note.note(source: $0) }
        let result = try await service.result(of: asked.job, for: context)
        return answer(to: asked, with: result, request.headers).response
    }

    /// - Parameter onSource: called with the source's address once the signature was checked.
    private func ask(_ target: String, _ headers: HTTPFields, onSource: (String) -> Void = { _ in })
        throws(ServeError) -> Asked
    {
        let hints = ImgproxyClientHints(
            dpr: headers.value("Sec-CH-DPR") ?? headers.value("DPR"),
            width: headers.value("Sec-CH-Width") ?? headers.value("Width"))
        let request = try parser.parse(target: target, now: now(), hints: hints)
        onSource(request.source)
        let rendering = ImgproxyRendering(
            request: request, settings: settings.imgproxy, accept: headers[.accept] ?? "")
        let job = ResultJob(source: try SourceReference(request.source, settings), options: rendering.key) {
            (source) throws(ServeError) in
            try rendering.plan(source)
        }
        return Asked(request: request, job: job)
    }

    private func answer(to asked: Asked, with result: ServedResult, _ request: HTTPFields) -> ResultAnswer {
        var headers = HTTPFields()
        headers[.vary] = negotiation.vary
        headers[.cacheControl] = ImgproxyHeaders.cacheControl(
            status: 200, timeToLive: settings.imgproxy.timeToLive, expires: asked.request.options.expires, now: now())
        headers[.contentDisposition] = ImgproxyHeaders.contentDisposition(
            request: asked.request,
            format: ImgproxyFormat(mediaType: result.mediaType) ?? asked.request.options.format ?? .jpeg)
        return ServeAnswer.result(result, request, headers: headers)
    }
}
