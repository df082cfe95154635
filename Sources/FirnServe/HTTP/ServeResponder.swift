import HTTPTypes
package import Hummingbird
import NIOCore

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
    private let recent = RecentAnswers()
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

    private func image(_ target: String, _ request: Request, _ context: ServeContext) async throws(ServeError)
        -> Response
    {
        let words = AskedWords(target, request.headers)
        let asked = try words.read(parser, now: now())
        context.note.note(source: asked.request.source)
        let result = try await service.result(of: try asked.job(settings), for: context)
        return answer(to: asked, with: result, request.headers).response
    }

    /// Answers a request in imgproxy's language whose result is in memory.
    func cachedAnswer(to target: String, _ head: HTTPRequest, _ note: RequestNote) -> ResultAnswer? {
        let words = AskedWords(target, head.headerFields)
        if let known = recent.answer(to: words) {
            guard let result = service.cached(known.job) else { return nil }
            note.note(source: known.asked.request.source)
            return answer(to: words, known.asked, known.job, known.file, result, known)
        }
        guard let asked = try? words.read(parser, now: now()) else { return nil }
        // Order: a file that changes in between is one that is not current.
        let file = SourceFile(asked.request.source, settings.localRoot)
        guard let job = try? asked.job(settings), let result = service.cached(job) else { return nil }
        note.note(source: asked.request.source)
        return answer(to: words, asked, job, file, result, nil)
    }

    private func answer(
        to words: AskedWords, _ asked: AskedImage, _ job: ResultJob, _ file: SourceFile?, _ result: ServedResult,
        _ known: RecentAnswer?
    ) -> ResultAnswer {
        if var answer = known?.answer, known?.entityTag == result.entityTag {
            answer.body = result.body
            return answer
        }
        var answer = answer(to: asked, with: result, [:])
        ServeResponder.secure(&answer.headers)
        // A file that nobody has looked at could not be told from its next version.
        if case .file = job.source, file == nil { return answer }
        var kept = answer
        kept.body = ByteBuffer()
        recent.keep(
            RecentAnswer(asked: asked, job: job, file: file, answer: kept, entityTag: result.entityTag), for: words)
        return answer
    }

    private func answer(to asked: AskedImage, with result: ServedResult, _ request: HTTPFields) -> ResultAnswer {
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
