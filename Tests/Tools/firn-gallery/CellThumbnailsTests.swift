#if GTK
import Firn
import FirnSync
import FoundationEssentials
import Testing

@testable import firn_gallery

/// Tests that the grid reads and writes the thumbnails of file managers.
@Suite(.timeLimit(.minutes(2))) struct CellThumbnailsTests {
    private let folder: TestFolder
    private let store: ThumbnailStore
    private let decoded = Locked(0)

    init() throws {
        folder = try TestFolder()
        store = ThumbnailStore(directory: URL(filePath: folder.path + "/thumbnails"))
    }

    /// Counts the decodes of images.
    private struct Counter: ImageDecoding {
        let base: any ImageDecoding
        let count: Locked<Int>

        func recognizes(_ head: Data) -> ImageFormat? { base.recognizes(head) == .jpeg ? .jpeg : nil }

        func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
            Session(base.makeSession(limits: limits, cancellation: cancellation), count)
        }

        private final class Session: ImageDecodingSession {
            let base: any ImageDecodingSession
            let count: Locked<Int>
            init(_ base: any ImageDecodingSession, _ count: Locked<Int>) { (self.base, self.count) = (base, count) }
            func append(_ data: Data) throws(ImageError) { try base.append(data) }
            func finish() { base.finish() }
            func properties() throws(ImageError) -> ImageProperties? { try base.properties() }
            func workingBytes(for options: DecodingOptions) -> Int { base.workingBytes(for: options) }
            func decode(_ options: DecodingOptions) throws(ImageError) -> Bitmap {
                count.withLock { $0 += 1 }
                return try base.decode(options)
            }
        }
    }

    /// A pipeline as the gallery starts with. Thumbnails are stored at once.
    private func pipeline() -> ImagePipeline {
        var configuration = ImagePipeline.Configuration.ephemeral
        configuration.imageCache = nil
        let decoders = configuration.decoders
        configuration.decoders = decoders.map { Counter(base: $0, count: decoded) } + decoders
        let writer = ThumbnailWriter { job in job() }
        CellThumbnails(store: store, writer: writer).attach(to: &configuration)
        return ImagePipeline(configuration: configuration)
    }

    private func write(_ name: String, _ color: UInt8, width: Int = 900, height: Int = 600) async throws {
        let image = try Bitmap(size: PixelSize(width: width, height: height), format: .rgb8) { pixels in
            for y in 0..<height {
                for x in 0..<width * 3 { pixels.row(y).storeBytes(of: color, toByteOffset: x, as: UInt8.self) }
            }
        }
        try await image.write(toPath: "\(folder.path)/\(name)")
    }

    /// Requests an image as a cell does.
    private func cell(_ name: String, side: Int = 180) -> ImageRequest {
        var request = ImageRequest(path: "\(folder.path)/\(name)")
        request.targetSize = TargetSize(width: side, height: side, mode: .fill)
        request.pixelFormat = .rgb8
        return request
    }

    private func color(_ image: Bitmap) -> UInt8 { image.withUnsafeBytes { $0[0] } }

    @Test func `A second run reads the thumbnails and decodes no image`() async throws {
        let names = (0..<8).map { "\($0).jpg" }
        for (index, name) in names.enumerated() { try await write(name, UInt8(index * 30)) }
        for run in 0..<2 {
            let pipeline = pipeline()
            for (index, name) in names.enumerated() {
                let response = try await pipeline.imageTask(with: cell(name)).response
                #expect(response.image.size == PixelSize(width: 270, height: 180), "run \(run)")
                #expect(response.container.originalSize == PixelSize(width: 900, height: 600))
                #expect(abs(Int(color(response.image)) - index * 30) < 4)
            }
            #expect(decoded.withLock { $0 } == names.count, "run \(run)")
        }
        let file = URL(filePath: "\(folder.path)/0.jpg")
        let thumbnail = try #require(store.path(for: file, size: .large))
        #expect(try await ImageProperties(path: thumbnail).displaySize == PixelSize(width: 256, height: 171))
    }

    @Test func `A changed image is decoded again`() async throws {
        try await write("a.jpg", 10)
        // Entries state the time in whole seconds.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: "\(folder.path)/a.jpg")
        _ = try await pipeline().image(for: cell("a.jpg"))
        try await write("a.jpg", 240, width: 903)
        let image = try await pipeline().image(for: cell("a.jpg"))
        #expect(abs(Int(color(image)) - 240) < 4)
        #expect(decoded.withLock { $0 } == 2)
    }

    @Test func `Large requests, parts, and images no larger than a thumbnail are left alone`() async throws {
        try await write("a.jpg", 10)
        try await write("small.jpg", 10, width: 200, height: 200)
        for _ in 0..<2 {
            let pipeline = pipeline()
            _ = try await pipeline.image(for: cell("a.jpg", side: 700))
            var part = cell("a.jpg")
            part.region = .pixels(x: 0, y: 0, width: 300, height: 300)
            _ = try await pipeline.image(for: part)
            _ = try await pipeline.image(for: cell("small.jpg"))
        }
        #expect(decoded.withLock { $0 } == 6)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/thumbnails"))
    }

    @Test func `A thumbnail of another size stands in while the file is the same`() async throws {
        try await write("a.jpg", 200)
        let path = "\(folder.path)/a.jpg"
        // Entries state the time in whole seconds.
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)], ofItemAtPath: path)
        let thumbnails = CellThumbnails(store: store)
        let none = await thumbnails.standIn(for: path, CellThumbnails.cellStandIns)
        #expect(none == nil)
        _ = try await pipeline().image(for: cell("a.jpg", side: 100))
        for sizes in [CellThumbnails.cellStandIns, CellThumbnails.largeStandIns] {
            let small = try #require(await thumbnails.standIn(for: path, sizes))
            #expect(small.size == PixelSize(width: 128, height: 85))
            #expect(abs(Int(color(small)) - 200) < 4)
        }
        try await write("a.jpg", 10)
        let outdated = await thumbnails.standIn(for: path, CellThumbnails.cellStandIns)
        #expect(outdated == nil)
    }

    @Test func `An image that cannot be decoded is not tried again before it changes`() async throws {
        try await write("a.jpg", 10)
        let path = "\(folder.path)/a.jpg"
        let whole = try Data(contentsOf: URL(filePath: path))
        try whole.prefix(whole.count / 2).write(to: URL(filePath: path))
        for _ in 0..<2 {
            await #expect(throws: ImageLoadingError.self) { try await pipeline().image(for: cell("a.jpg")) }
        }
        #expect(decoded.withLock { $0 } == 1)
        try whole.write(to: URL(filePath: path))
        _ = try await pipeline().image(for: cell("a.jpg"))
        #expect(decoded.withLock { $0 } == 2)
    }
}
#endif
