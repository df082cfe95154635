import FirnSync
import Hummingbird

extension ServeResponder {
    private static let outputs: [(segment: String, output: RenderOutput)] = [
        ("/info", .information), ("/blurhash", .blurHash), ("/thumbhash", .thumbHash),
    ]

    /// Returns whether a target is one of `details(_:_:_:)`. Other requests should not reserve the memory of that call.
    func isDetail(_ target: String) -> Bool {
        ServeResponder.outputs.contains { target.hasPrefix(prefix + $0.segment + "/") }
    }

    /// Serves `/info/…`, `/blurhash/…` and `/thumbhash/…`: the properties of a source, and placeholders of a result.
    ///
    /// After the first segment follows an address of imgproxy's language, signed in the same way, without that segment.
    /// - Returns: `nil` for other targets.
    func details(_ target: String, _ request: Request, _ context: ServeContext) async throws(ServeError) -> Response? {
        guard
            let (job, rendering) = try await detail(
                target, context.presence, note: context.note, client: request.headers)
        else { return nil }
        let expires = rendering.request.options.expires
        let result = try await service.result(of: job, for: context, isLasting: expires == nil)
        return ServeResponse.result(result, request, headers: headers(of: result, job.source, expires: expires))
    }

    /// Returns the job of such a target.
    ///
    /// - Parameters:
    ///   - note: gets the address of the source. Default: none.
    ///   - client: the fields of the client. Default: none.
    func detail(
        _ target: String, _ presence: ClientPresence?, note: Locked<RequestNote>? = nil, client: HTTPFields = [:]
    ) async throws(ServeError) -> (job: ResultJob, rendering: ImgproxyRendering)? {
        let outputs = ServeResponder.outputs
        guard let (segment, output) = outputs.first(where: { target.hasPrefix(prefix + $0.segment + "/") }) else {
            return nil
        }
        let parsed = try parser.parse(target: prefix + target.dropFirst((prefix + segment).count), now: now())
        note?.withLock { $0.address = parsed.source }
        let rendering = ImgproxyRendering(request: parsed, settings: settings.imgproxy, accept: "")
        let isDescribed = output == .information
        // Information about a source depends on no option but `cb`, which asks for a new result.
        let options = isDescribed ? parsed.options.cacheBuster : rendering.key
        let source = try await source(parsed.source, client: client, presence)
        let watermark =
            isDescribed
            ? nil
            : try await watermark(parsed.options.watermark, presence)
        let job = ResultJob(
            source: source, options: "\(segment)\n\(options)", page: isDescribed ? 0 : parsed.options.page,
            watermark: watermark
        ) { (source, watermark) throws(ServeError) in
            var plan =
                isDescribed
                ? RenderPlan(decodedSize: source.size, format: source.format) : try rendering.plan(source, watermark)
            (plan.passesSource, plan.format, plan.output) = (false, .png, output)
            return plan
        }
        return (job, rendering)
    }
}
