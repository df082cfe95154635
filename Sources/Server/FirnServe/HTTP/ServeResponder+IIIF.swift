import FirnHTTP
import FirnImage
import FirnSync
import HTTPTypes
import Hummingbird
import NIOCore

extension ServeResponder {
    /// Serves requests of the IIIF Image API 3.0, level 2: `/iiif/{id}/…`. `{id}` is a path below the local root.
    ///
    /// - Returns: `nil` if the target is not below `/iiif/`.
    func iiif(_ target: String, _ request: Request, _ context: ServeContext) async -> Response? {
        guard target.hasPrefix(IIIFParser.prefix) else { return nil }
        var response: Response
        do throws(ServeError) {
            response = try await iiifResponse(target, request, context)
        } catch {
            context.note.withLock { $0.error = error }
            // IIIF expects 503 from a busy server.
            response = ServeResponse.failure(
                error.status == 429 ? ServeError(503, error.message, retryAfter: error.retryAfter) : error)
        }
        for field in IIIFHeaders.crossOrigin { response.headers.set(field.name, field.value) }
        return response
    }

    private func iiifResponse(
        _ target: String, _ request: Request, _ context: ServeContext
    ) async throws(ServeError) -> Response {
        guard let parsed = try IIIFParser().parse(target: target) else { throw ServeError(404, "no image") }
        let address = PublicAddress(request.head, isTrusted: isTrusted(NetworkAddress(context.remoteAddress)))
        guard let base = address.iiif else {
            throw ServeError(400, "the Host field, or that of a proxy, is missing or odd")
        }
        context.note.withLock { $0.address = parsed.identifier.text }
        let source = try await service.source("local://" + parsed.identifier.text, settings)
        switch parsed.resource {
        case .base:
            return Response(status: .seeOther, headers: [.location: base + parsed.requestedIdentifier + "/info.json"])
        case .information:
            let information = IIIFInformation(
                uri: base + parsed.requestedIdentifier, geometry: try await geometry(of: source, context))
            var response = ServeResponse.document(
                IIIFHeaders.informationType(accept: request.headers[.accept]), information.json, request,
                headers: [.cacheControl: "max-age=60, public", .vary: "Accept, Accept-Encoding"])
            response.headers.set("Link", IIIFHeaders.informationLink)
            return response
        case .image(let image):
            let plan = try await geometry(of: source, context).plan(for: image)
            let job = ResultJob(source: source, options: plan.key, takesParts: true) {
                (_) throws(ServeError) in plan.rendering
            }
            let result = try await service.result(of: job, for: context)
            var response = ServeResponse.result(result, request, headers: [.cacheControl: "max-age=3600, public"])
            let canonical = base + parsed.identifier.encoded + plan.canonicalPath
            response.headers.set("Link", "\(IIIFHeaders.informationLink), <\(canonical)>;rel=\"canonical\"")
            return response
        }
    }

    private func geometry(of source: SourceReference, _ context: ServeContext) async throws(ServeError)
        -> IIIFGeometry
    {
        guard let presence = context.presence else { throw .clientClosed }
        let info = try await presence.whileThere(atMost: settings.timeLimit) { [service] () async throws(ServeError) in
            try await service.describe(source, takesParts: true)
        }
        return IIIFGeometry(
            width: info.size.width, height: info.size.height, vector: info.vectorSize, settings: settings.iiif)
    }
}
