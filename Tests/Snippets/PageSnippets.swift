import Firn

/// The code of pages in Documentation.
enum PageSnippets {
    static func retries() -> ImagePipeline.Configuration {
        // snippet.failure-times
        var configuration = ImagePipeline.Configuration()
        configuration.retries.limit = 4
        configuration.remembersFailures = false
        // snippet.end
        return configuration
    }

    static func guarded() -> ImagePipeline {
        // snippet.guarded
        let pipeline = ImagePipeline { $0.dataLoader = .http { $0.network = .guarded } }
        // snippet.end
        return pipeline
    }

    static func rules() -> ImagePipeline {
        // snippet.network-rules
        var policy = NetworkPolicy.guarded
        policy.hosts = ["images.example.org", "*.cdn.example.org"]
        policy.ports = [443]
        let pipeline = ImagePipeline {
            $0.dataLoader = .http { $0.network = policy }
        }
        // snippet.end
        return pipeline
    }

    static func loader(_ office: URL, _ certificate: URL, _ key: URL) throws -> DataLoader {
        // snippet.tls
        var configuration = DataLoader.Configuration()
        configuration.furtherAuthorities = [try Data(contentsOf: office)]
        configuration.setClientCertificate(
            chain: try Data(contentsOf: certificate), key: try Data(contentsOf: key))
        configuration.headers["Accept-Language"] = "de, en"
        let loader = DataLoader(configuration: configuration)
        // snippet.end
        return loader
    }

    static func metrics(_ response: ImageResponse) {
        // snippet.metrics
        if let metrics = response.metrics, let firstByte = metrics.firstByte {
            print(metrics.remoteAddress ?? "unknown", metrics.networkProtocol ?? "unknown")
            print(firstByte, metrics.total, "for", metrics.bytesReceived, "bytes")
        }
        // snippet.end
    }

    static func chroma(_ drawing: Bitmap) throws -> Data {
        // snippet.chroma
        let sharp = try ImageEncoders.jpeg(quality: 0.8, fullChroma: true).encode(drawing)
        // snippet.end
        return sharp
    }

    static func region(_ pipeline: ImagePipeline) async throws -> Bitmap {
        // snippet.region-request
        var request = ImageRequest(path: "/maps/city.jpg")
        request.region = .pixels(x: 30_000, y: 12_000, width: 2_048, height: 2_048)
        request.targetSize = TargetSize(512)
        let part = try await pipeline.image(for: request)
        // snippet.end
        return part
    }

    static func pyramid(_ pipeline: ImagePipeline) async throws {
        // snippet.pyramid
        let map = ImageRequest(path: "/maps/city.jpg")
        try await pipeline.buildPyramid(for: map) { progress in
            print(Int(progress.fraction * 100), "%")
        }
        // snippet.end
    }
}

// snippet.checkered
struct Checkered: ImageProcessing {
    let side: Int
    var identifier: String { "example.org/checkered?\(side)" }

    func process(
        _ container: ImageContainer, context: ImageProcessingContext
    ) throws -> ImageContainer {
        if context.cancellation.isCancelled { throw CancellationError() }
        var container = container
        container.image = try draw(over: container.image)
        return container
    }
}
// snippet.end

extension Checkered {
    /// Darkens every other square.
    private func draw(over image: Bitmap) throws -> Bitmap {
        try Bitmap(size: image.size, format: image.format, isOpaque: image.isOpaque) { pixels in
            for y in 0..<image.size.height {
                let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
                image.withUnsafeBytes { bytes in
                    for x in 0..<image.size.width * image.format.bytesPerPixel {
                        let column = x / image.format.bytesPerPixel
                        let isDark = (column / side + y / side).isMultiple(of: 2)
                        let byte = bytes[y * image.bytesPerRow + x]
                        row[x] = isDark && x % image.format.bytesPerPixel < 3 ? byte / 2 : byte
                    }
                }
            }
        }
    }

    /// `import Firn` alone names the types of bytes and addresses.
    static func bytes(at url: URL, _ pipeline: ImagePipeline) async throws -> Data {
        try await pipeline.data(for: url).0
    }
}
