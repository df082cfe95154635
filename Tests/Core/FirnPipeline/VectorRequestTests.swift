#if SVG
import FirnCache
import FirnCodecs
import FirnData
import FirnImage
import FirnProcessing
import FirnTesting
import FoundationEssentials
import TestSupport
import Testing

@testable import FirnPipeline

/// Tests requests for drawings, which are rendered at the requested size.
@Suite(.timeLimit(.minutes(5))) struct VectorRequestTests {
    private let files = InMemoryFileSystem()
    private static let disc = "<circle cx='12' cy='12' r='10'/><path d='M1 1 5 3 2 7z' fill='red'/>"

    init() {
        files["/icon.svg"] = VectorRequestTests.file(24, 24)
        files["/ratio.svg"] = VectorRequestTests.file(9.5, 30.49)
    }

    private static func file(_ width: Double, _ height: Double) -> Data {
        let attributes = "width='\(width)' height='\(height)' viewBox='0 0 24 24' preserveAspectRatio='none'"
        return Data("<svg xmlns='http://www.w3.org/2000/svg' \(attributes)>\(disc)</svg>".utf8)
    }

    private func pipeline(
        memory: Bool = true, _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) -> ImagePipeline {
        .reading(files, memory: memory, change)
    }

    private func request(_ side: Int?, _ processors: [any ImageProcessing] = []) -> ImageRequest {
        var request = ImageRequest(path: "/icon.svg", processors: processors)
        request.targetSize = side.map { TargetSize($0) }
        return request
    }

    /// The pixels of a drawing that states this size.
    private func drawn(_ width: Int, _ height: Int? = nil) throws -> [[UInt8]] {
        let decoder = ImageDecoder(decoders: ImageDecoders.standard)
        try decoder.append(VectorRequestTests.file(Double(width), Double(height ?? width)))
        decoder.finish()
        return RegionScene.rows(try decoder.frame(at: 0).image())
    }

    @Test func `a target size, and the first resize, are rendered`() async throws {
        let processors: [[any ImageProcessing]] = [
            [], [ImageProcessors.Resize(width: 240)], [ImageProcessors.Resize(width: 240, upscale: true)],
            [ImageProcessors.Resize(height: 240, linearLight: true)],
            [ImageProcessors.Resize(size: PixelSize(width: 240, height: 240), mode: .fill, crop: true)],
            [ImageProcessors.Resize(exactly: PixelSize(width: 240, height: 240), upscale: true)],
        ]
        let expected = try drawn(240)
        for list in processors {
            let image = try await pipeline().image(for: request(list.isEmpty ? 240 : nil, list))
            #expect(image.size == PixelSize(width: 240, height: 240))
            #expect(RegionScene.rows(image) == expected, "\(list.map(\.identifier))")
        }
    }

    @Test func `a resize keeps the exact ratio, also of a smaller image`() async throws {
        for (width, height) in [(5, 16), (95, 305), (950, 3049)] {
            var request = ImageRequest(
                path: "/ratio.svg", processors: [ImageProcessors.Resize(width: width, upscale: true)])
            #expect(try await pipeline().image(for: request).size == PixelSize(width: width, height: height))
            request = ImageRequest(
                path: "/ratio.svg", targetSize: TargetSize(width: width, height: 1 << 24))
            #expect(try await pipeline().image(for: request).size == PixelSize(width: width, height: height))
        }
    }

    @Test func `a smaller image in memory is a preview, a larger one is reduced`() async throws {
        let pipeline = pipeline()
        let own = try await pipeline.image(for: request(nil))
        #expect(own.size == PixelSize(width: 24, height: 24))
        let large = try await pipeline.imageTask(with: request(240)).response
        #expect(large.cacheType == nil)
        #expect(RegionScene.rows(large.image) == (try drawn(240)))
        #expect(large.container.vectorSize == VectorSize(width: 24, height: 24))
        #expect(large.container.originalSize == PixelSize(width: 24, height: 24))
        let between = try await pipeline.imageTask(with: request(100)).response
        #expect(between.cacheType == .memory && between.image.size == PixelSize(width: 100, height: 100))
        let larger = try await pipeline.image(for: request(300))
        #expect(RegionScene.rows(larger) == (try drawn(300)))
    }

    @Test func `an image without a target has its own size, also from a larger one in memory`() async throws {
        for processors in [[], [ImageProcessors.grayscale()]] as [[any ImageProcessing]] {
            let pipeline = pipeline()
            _ = try await pipeline.image(for: request(240))
            let task = pipeline.imageTask(with: request(nil, processors))
            let response = try await task.response
            #expect(response.image.size == PixelSize(width: 24, height: 24))
            #expect(response.cacheType == .memory)
        }
    }

    @Test func `processors do not enlarge the results of a smaller rendering`() async throws {
        let gray = ImageProcessors.grayscale()
        let resize = ImageProcessors.Resize(width: 240, upscale: true)
        for before in [[], [gray]] as [[any ImageProcessing]] {
            let pipeline = pipeline()
            _ = try await pipeline.image(for: request(nil))
            _ = try await pipeline.image(for: request(nil, [gray]))
            let fresh = try await self.pipeline().image(for: request(nil, before + [resize]))
            let image = try await pipeline.image(for: request(nil, before + [resize]))
            #expect(RegionScene.rows(image) == RegionScene.rows(fresh))
            let wanted = try await self.pipeline().image(for: request(240, before))
            #expect(RegionScene.rows(image) == RegionScene.rows(wanted))
        }
    }

    @Test func `a region is rendered as large as it is wanted`() async throws {
        let pipeline = pipeline()
        _ = try await pipeline.image(for: request(nil))
        var region = request(120)
        region.region = .pixels(x: 0, y: 0, width: 12, height: 12)
        let part = try await pipeline.image(for: region)
        let whole = try await self.pipeline().image(for: request(240))
        let area = PixelArea(PixelSize(width: 120, height: 120))
        #expect(part.size == area.size)
        let cut = try whole.cut(area, of: PixelArea(whole.size), to: nil)
        #expect(RegionScene.difference(part, cut, border: 1) <= 40)
        region.targetSize = nil
        #expect(try await pipeline.image(for: region).size == PixelSize(width: 12, height: 12))
    }

    @Test func `a stored bitmap of a drawing remembers that it is one`() async throws {
        let store = BitmapStore(directory: "/store", limits: .init(), fileSystem: InMemoryFileSystem())
        for round in 0..<2 {
            let pipeline = pipeline { $0.bitmapStore = store }
            let response = try await pipeline.imageTask(with: request(240)).response
            await pipeline.flush()
            #expect(response.container.vectorSize == VectorSize(width: 24, height: 24))
            #expect(response.cacheType == (round == 0 ? nil : .bitmap))
            let larger = try await pipeline.image(for: request(300))
            #expect(RegionScene.rows(larger) == (try drawn(300)))
        }
    }
}
#endif
