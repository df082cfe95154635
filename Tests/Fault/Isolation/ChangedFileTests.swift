import FirnData
import FirnImage
import FirnSystem
import FirnTesting
import FoundationEssentials
import Testing

@testable import FirnCodecs

@Suite("Files that change while they are decoded", .serialized)
struct ChangedFileTests {
    /// Formats whose libraries read a file with random access, or get it in one piece.
    private static let formats: [ImageFormat] = [.tiff, .jxl, .avif, .svg, .jpeg].filter {
        $0 == .svg || ImageEncoders.formats.contains($0)
    }
    private static let isolations = [DecoderIsolation.none, .complexFormats, .all].map {
        IsolatedImages.isolation("firn-decoder", $0)
    }

    /// A file that is too long to be copied to a worker's inbox.
    private static func file(_ format: ImageFormat) throws -> Data {
        guard format != .svg else {
            return IsolatedImages.drawing("<!--\(String(repeating: "x", count: 200_000))-->", side: 400)
        }
        var generator = SeededGenerator(seed: 7)
        let noise = try Bitmap(size: PixelSize(width: 400, height: 400), format: .rgb8) { pixels in
            for y in 0..<400 {
                for x in 0..<1200 {
                    let sample = UInt8.random(in: 0...255, using: &generator)
                    pixels.row(y).storeBytes(of: sample, toByteOffset: x, as: UInt8.self)
                }
            }
        }
        return try #require(ImageEncoders.encoder(for: format)).encode(noise)
    }

    private let folder: String
    private var path: String { folder + "/file" }

    init() throws { folder = try temporaryFolder("changed") }

    private func write(_ data: Data) throws { try data.write(to: URL(filePath: path)) }

    private func open(_ isolation: DecoderIsolation) throws -> any ImageDecodingSession {
        let file = try LocalFileSystem().open(path)
        let decoders = try ImageDecoders.standard(isolation: isolation)
        let head = try file.read(at: 0, count: ImageFormat.sniffLength)
        let session = try #require(decoders.first { $0.recognizes(head) != nil })
            .makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        try session.append(contentsOf: file)
        session.finish()
        return session
    }

    @Test(arguments: formats, isolations)
    func `a file that is truncated during a decode ends no worker, and decodes once it is whole`(
        format: ImageFormat, isolation: DecoderIsolation
    ) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let data = try ChangedFileTests.file(format)
        try #require(data.count > 80_000)
        var options = DecodingOptions()
        options.region = .pixels(x: 0, y: 200, width: 400, height: 200)
        for length in [1000, 0, 70_000] {
            try write(data)
            let session = try open(isolation)
            #expect(try session.properties()?.size == PixelSize(400))
            #expect(truncate(path, off_t(length)) == 0)
            do {
                _ = try session.decode(options)
            } catch {
                #expect(error.fault == .data && !error.message.contains("crashed"), "\(error.message)")
            }
        }
        try write(data)
        #expect(try open(isolation).decode(options).size == PixelSize(width: 400, height: 200))
    }

    @Test func `a crash on a file that has changed meanwhile is not held against it`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let isolation = IsolatedImages.isolation("firn-lying-decoder")
        let lie = IsolatedImages.lie(Lie.forgedEnd.rawValue) + Data("changed".utf8)
        func message(changes: Bool) throws -> String? {
            try write(lie)
            let session = try open(isolation)
            if changes { #expect(utimes(path, [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]) == 0) }
            return #expect(throws: ImageError.self) { _ = try session.decode(DecodingOptions()) }?.message
        }
        for _ in 0..<4 { #expect(try message(changes: true) == "the decoder crashed by signal 6") }
        for _ in 0..<2 { #expect(try message(changes: false) == "the decoder crashed by signal 6") }
        #expect(try message(changes: false)?.contains("not decoded again") == true)
    }
}
