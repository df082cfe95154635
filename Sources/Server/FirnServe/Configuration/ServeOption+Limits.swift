import FirnImage

extension ServeOption {
    static let bounds = [
        number(
            "limits.megapixels", in: 1...1000, "The largest source, in megapixels.",
            read: { $0.settings.limits.maximumPixels / 1_000_000 },
            write: { configuration, number in
                configuration.settings.limits.maximumPixels = number * 1_000_000
                configuration.settings.imgproxy.limits.sourceMegapixels = Double(number)
            }),
        number(
            "iiif.megapixels", \.settings.iiif.sources.maximumPixels, of: 1_000_000, in: 1...2000,
            "The largest source of IIIF, of which parts are decoded, in megapixels."),
        number(
            "iiif.tiles-mebibytes", \.settings.iiif.tileBytes, of: 1 << 20, in: 0...16_777_216, isLive: false,
            "Tiles of large images in the cache folder, in MiB; 0 for none."),
        number(
            "limits.source-mebibytes", \.settings.limits.maximumBytes, of: 1 << 20, in: 1...1024,
            "The largest source, in MiB."),
        number(
            "limits.result-side", in: 16...65_535, "The longest side of a result, in pixels.",
            read: { $0.settings.imgproxy.limits.resultSide },
            write: { configuration, number in
                configuration.settings.imgproxy.limits.resultSide = number
                configuration.settings.iiif.limits.maxWidth = number
                configuration.settings.iiif.limits.maxHeight = number
            }),
        number(
            "limits.animation-frames", \.settings.imgproxy.limits.animationFrames, in: 1...10_000,
            "The first frames of an animation that are served; 1 makes it a still."),
        seconds("limits.seconds", \.settings.timeLimit, in: 1...600, "The time of a request: queue, source, work."),
        number("limits.requests", \.settings.admission.total, in: 1...100_000, "Requests in work at once."),
        number("limits.per-client", \.settings.admission.perClient, in: 1...100_000, "Those of one client address."),
        number("limits.per-source", \.settings.admission.perHost, in: 1...100_000, "Those for one source host."),
        number(
            "limits.connections", \.settings.connections.most, in: 16...1_000_000, isLive: false,
            "Open connections. Above it, the connection that was idle for longest is closed."),
        seconds(
            "limits.first-request-seconds", \.settings.connections.firstRequest, in: 1...600, isLive: false,
            "How long a new connection may take to send its first request."),
        seconds(
            "limits.idle-seconds", \.settings.connections.idle, in: 1...3600, isLive: false,
            "How long a connection is kept between requests."),
        seconds(
            "limits.response-seconds", \.settings.connections.response, in: 1...3600, isLive: false,
            "How long a request may take until its response is read."),
        number(
            "memory.results-mebibytes", \.settings.resultMemory, of: 1 << 20, in: 0...65_536, isLive: false,
            "Results in memory, in MiB."),
        seconds(
            "file-seconds", \.settings.fileFreshness, in: 0...3600, isLive: false,
            "How long a local file is served without a look at it."),
        seconds(
            "result-seconds", \.settings.resultLifetime, in: 0...31_536_000,
            "How long a result of an HTTP source is served without a look at the source."),
        seconds(
            "stale-seconds", \.settings.staleLifetime, in: 0...31_536_000,
            "How long it is served after that, while it is made again in the background."),
    ]
}
