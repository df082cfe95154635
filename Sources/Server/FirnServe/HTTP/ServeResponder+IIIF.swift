import FirnSync
import HTTPTypes
import Hummingbird
import NIOCore

extension ServeResponder {
    /// Serves requests of the IIIF Image API, level 2: `/iiif/{id}/…` (3.0) and `/iiif2/{id}/…` (2.1). `{id}` is a
    /// path below the local root.
    ///
    /// - Returns: `nil` if the target is below neither.
    func iiif(_ target: String, _ request: Request, _ context: ServeContext) async -> Response? {
        guard IIIFVersion(target: target) != nil else { return nil }
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
        guard let base = address.iiif(parsed.version) else {
            throw ServeError(400, "the Host field, or that of a proxy, is missing or odd")
        }
        context.note.withLock { $0.address = parsed.identifier.text }
        let source = try await source("local://" + parsed.identifier.text, context.presence)
        switch parsed.resource {
        case .base:
            return Response(status: .seeOther, headers: [.location: base + parsed.requestedIdentifier + "/info.json"])
        case .information:
            let information = IIIFInformation(
                uri: base + parsed.requestedIdentifier, geometry: try await geometry(of: source, context),
                version: parsed.version)
            let type = IIIFHeaders.informationType(accept: request.headers[.accept], parsed.version)
            var response = ServeResponse.document(
                type, information.json, request,
                headers: [.cacheControl: "max-age=60, public", .vary: "Accept, Accept-Encoding"])
            response.headers.set("Link", parsed.version.informationLink(type: type))
            return response
        case .image(let image):
            let plan = try await geometry(of: source, context).plan(for: image)
            let job = ResultJob(source: source, options: plan.key, takesParts: true) {
                (_, _) throws(ServeError) in plan.rendering
            }
            let result = try await service.result(of: job, for: context)
            var response = ServeResponse.result(result, request, headers: [.cacheControl: "max-age=3600, public"])
            let canonical = base + parsed.identifier.encoded + plan.canonicalPath
            response.headers.set("Link", "\(parsed.version.profileLink), <\(canonical)>;rel=\"canonical\"")
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
