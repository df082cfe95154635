import FirnCodecs
import FirnSync
import FirnTesting
import Foundation
import Testing

/// Tests decoding, describing and writing files without a pipeline.
@Suite struct ImageFileTests {
    private let folder: ScratchFolder
    /// Lies on its side: EXIF says that it is to be turned.
    private let photo: String

    init() throws {
        folder = try ScratchFolder()
        var metadata = EncodingMetadata()
        metadata.exif = HandmadeEXIF(orientation: 1).data
        let image = try Bitmap.noise(PixelSize(width: 600, height: 400), format: .rgb8, seed: 1)
        var file = try JPEGEncoder().encode(image, metadata: metadata, cancellation: CancellationFlag())
        // The orientation's value in its entry of little-endian EXIF data: tag, type, count, value.
        let entry = try #require(file.firstRange(of: Data([0x12, 0x01, 3, 0, 1, 0, 0, 0])))
        file[entry.upperBound] = 6
        photo = try folder.write(file, "photo.jpg")
    }

    @Test func `A file that is generated on reading is read up to any limit`() throws {
        var limits = ImageLimits()
        limits.maximumBytes = .max
        let error = #expect(throws: ImageError.self) {
            _ = try Bitmap(blockingContentsOf: URL(filePath: "/proc/self/status"), limits: limits)
        }
        #expect(error?.responseStatus == 415 && error?.path == "/proc/self/status")
    }

    @Test func `a file is decoded upright at the longer side's length`() async throws {
        #expect(try await Bitmap(path: photo).size == PixelSize(width: 400, height: 600))
        #expect(try await Bitmap(path: photo, targetSize: 60).size == PixelSize(width: 40, height: 60))
        #expect(try await Bitmap(path: photo, targetSize: 6_000).size == PixelSize(width: 400, height: 600))
        let filled = try await Bitmap(path: photo, targetSize: TargetSize(60, mode: .fill))
        #expect(filled.size == PixelSize(width: 60, height: 90))
        let wide = try await Bitmap(path: photo, targetSize: TargetSize(width: 100))
        #expect(wide.size == PixelSize(width: 100, height: 150))
    }

    @Test func `blocking and waiting give the same pixels`() async throws {
        let path = photo
        let blocking = try await onThread { try Bitmap(blockingContentsOf: URL(filePath: path), targetSize: 60) }
        #expect(try await Bitmap(path: path, targetSize: 60).packedBytes == blocking.packedBytes)
        let target = TargetSize(height: 30)
        #expect(
            try await onThread { try Bitmap(blockingContentsOf: URL(filePath: path), targetSize: target) }.size.height
                == 30)
    }

    @Test func `a written file has the format of its name and no EXIF data`() async throws {
        let image = try await Bitmap(path: photo, targetSize: 60)
        for (name, format) in [("a.webp", ImageFormat.webp), ("b.JPG", .jpeg), ("c.png", .png), ("d.tif", .tiff)] {
            try await image.write(toPath: folder(name), quality: 0.5)
            let properties = try await ImageProperties(path: folder(name))
            #expect(properties.format == format && properties.displaySize == image.size)
            #expect(properties.orientation == .up && properties.exif == nil)
        }
        try image.writeBlocking(to: URL(filePath: folder("e.png")))
        #expect(try await Bitmap(path: folder("e.png")).packedBytes == image.packedBytes)
        #expect(try folder.names == ["a.webp", "b.JPG", "c.png", "d.tif", "e.png", "photo.jpg"])
    }

    @Test func `replacing a file reports the properties that were lost`() async throws {
        let image = try await Bitmap(path: photo, targetSize: 60)
        #expect(try await image.write(toPath: folder("new.png")) == [])
        #expect(try await image.write(toPath: folder("new.png")) == [])
        #expect(link(folder("new.png"), folder("other.png")) == 0)
        #expect(
            try await image.write(toPath: folder("new.png")) == [
                "its other names (hard links) still have the older content"
            ])
    }

    @Test func `quality decides how large a file is`() async throws {
        let image = try await Bitmap(path: photo)
        try await image.write(toPath: folder("small.webp"), quality: 0.1)
        try await image.write(toPath: folder("large.webp"), quality: 0.9)
        let sizes = try ["small.webp", "large.webp"].map { try Data(contentsOf: URL(filePath: folder($0))).count }
        #expect(sizes[0] < sizes[1])
    }

    @Test func `a format that is named decides, in files and in memory`() async throws {
        let image = try await Bitmap(path: photo, targetSize: 60)
        try await image.write(to: URL(filePath: folder("a.bin")), format: .webp, quality: 0.5)
        try image.writeBlocking(to: URL(filePath: folder("b.jpg")), format: .png)
        #expect(try await ImageProperties(path: folder("a.bin")).format == .webp)
        #expect(try await ImageProperties(path: folder("b.jpg")).format == .png)
        let webp = try image.encoded(as: .webp, quality: 0.5)
        #expect(try webp == Data(contentsOf: URL(filePath: folder("a.bin"))))
        #expect(try image.encoded(as: .webp(quality: 0.5)) == webp && image.encoded(as: .png) == image.pngData())
        #expect(try image.jpegData(compressionQuality: 0.3) == image.encoded(as: .jpeg, quality: 0.3))
        #expect(throws: ImageError.self) { try image.encoded(as: .heic) }
        let clear = try Bitmap(width: 8, height: 8, color: .clear)
        let opaque = try await Bitmap(data: clear.encoded(as: .jpeg(quality: 1)))
        #expect(opaque[4, 4] == .white)
    }

    @Test func `a decoder reads a file, and its errors have the path`() throws {
        let decoder = try ImageDecoder(contentsOf: URL(filePath: photo))
        #expect(decoder.properties?.width == 600 && decoder.properties?.height == 400)
        #expect(try decoder.frame(at: 0).image().size == PixelSize(width: 400, height: 600))
        let error = #expect(throws: ImageError.self) { try ImageDecoder(contentsOf: URL(filePath: folder("none"))) }
        #expect(error?.path == folder("none") && error?.fault == .missing)
        var limits = ImageLimits()
        limits.maximumBytes = 10
        #expect(throws: ImageError.self) { try ImageDecoder(contentsOf: URL(filePath: photo), limits: limits) }
    }

    @Test func `a transparent image gets a white background as JPEG`() async throws {
        try await Bitmap(size: PixelSize(8)) { _ in }.write(toPath: folder("clear.jpg"))
        let image = try await Bitmap(path: folder("clear.jpg"))
        #expect(image.pixels.allSatisfy { $0.prefix(3).allSatisfy { $0 > 250 } })
    }

    @Test(arguments: ["photo", "photo.xyz", ".webp", "a.webp/photo", "photo."])
    func `a name without a known ending is refused with a list`(name: String) async throws {
        let image = try Bitmap(size: PixelSize(1)) { _ in }
        let error = await #expect(throws: ImageError.self) { try await image.write(toPath: folder(name)) }
        #expect(error?.path == folder(name) && error?.message.contains(".jpg, .png") == true)
        #expect(try folder.names == ["photo.jpg"])
    }

    @Test func `errors name the path`() async throws {
        let missing = folder("missing.png")
        let error = await #expect(throws: ImageError.self) { try await Bitmap(path: missing) }
        #expect(error?.description == "\(missing): cannot open: No such file or directory")
        #expect(error?.responseStatus == 500 && error?.fault == .missing && error?.stage == .reading)
        let text = try folder.write(Data("no image".utf8), "text.png")
        for read in [
            { () async throws in _ = try await Bitmap(path: text) },
            { () async throws in _ = try await ImageProperties(path: text) },
        ] {
            let error = await #expect(throws: ImageError.self) { try await read() }
            #expect(error?.description.hasPrefix("\(text): not an image") == true && error?.responseStatus == 415)
        }
        let half = try folder.write(Data(contentsOf: URL(filePath: photo)).prefix(2_000), "half.jpg")
        let damage = await #expect(throws: ImageError.self) { try await Bitmap(path: half) }
        #expect(damage?.path == half && damage?.responseStatus == 422)
        #expect(damage?.fault == .data && damage?.stage == .decoding && damage?.format == .jpeg)
        let empty = try folder.write(Data(), "empty.png")
        await #expect(throws: ImageError.self) { try await Bitmap(path: empty) }
        let nowhere = folder("none/a.png")
        let image = try Bitmap(size: PixelSize(1)) { _ in }
        let unwritten = await #expect(throws: ImageError.self) { try await image.write(toPath: nowhere) }
        #expect(unwritten?.description == "\(nowhere): cannot write: No such file or directory")
        #expect(unwritten?.fault == .missing && unwritten?.stage == .writing)
    }

    @Test func `limits apply`() async throws {
        var limits = ImageLimits()
        limits.maximumPixels = 1_000
        let error = await #expect(throws: ImageError.self) {
            try await Bitmap(path: photo, targetSize: 10, limits: limits)
        }
        #expect(error?.responseStatus == 413 && error?.path == photo)
        #expect(error?.message == "declares 600x400 pixels; 1000 are allowed")
        #expect(
            error?.description
                == "\(photo): jpeg: declares 600x400 pixels; 1000 are allowed (ImageLimits.maximumPixels)")
    }

    @Test(arguments: zip(["none.jpg", "photo.jpg", "photo.jpg"], [ImageError.Stage.reading, .processing, .writing]))
    func `one do spans reading, processing and writing`(name: String, stage: ImageError.Stage) async {
        do throws(ImageError) {
            let image = try await Bitmap(path: folder(name), targetSize: 60)
            let changed = try await image.applying(stage == .processing ? [.gaussianBlur(radius: -1)] : [.sepia()])
            try await changed.write(toPath: folder("none/a.png"))
            Issue.record("nothing failed")
        } catch {
            #expect(error.stage == stage, "\(error)")
        }
    }

    @Test func `a cancelled task throws the fault cancelled and writes nothing`() async throws {
        let (photo, folder) = (photo, folder)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await Bitmap(path: photo)
        }
        let error = await #expect(throws: ImageError.self) { try await task.value }
        #expect(error?.fault == .cancelled)
        let writing = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await Bitmap(size: PixelSize(1)) { _ in }.write(toPath: folder("never.png"))
        }
        let unwritten = await #expect(throws: ImageError.self) { try await writing.value }
        #expect(unwritten?.fault == .cancelled)
        #expect(try folder.names == ["photo.jpg"])
    }

    @Test func `a URL, a path and the bytes give the same image`() async throws {
        let (url, data) = (URL(filePath: photo), try Data(contentsOf: URL(filePath: photo)))
        let image = try await Bitmap(path: photo, targetSize: 60)
        #expect(try await Bitmap(contentsOf: url, targetSize: 60).packedBytes == image.packedBytes)
        #expect(try await Bitmap(data: data, targetSize: 60).packedBytes == image.packedBytes)
        #expect(try await ImageProperties(contentsOf: url).displaySize == PixelSize(width: 400, height: 600))
        #expect(try await ImageProperties(data: data).displaySize == PixelSize(width: 400, height: 600))
        let decoder = try ImageDecoder(data: data)
        #expect(try decoder.frame(at: 0).image().size == PixelSize(width: 400, height: 600))
        // A name that a URL has to escape.
        let odd = URL(filePath: folder("a b#%41?é.png"))
        try await image.write(to: odd)
        #expect(try await Bitmap(contentsOf: odd).packedBytes == image.packedBytes)
        #expect(try folder.names.contains("a b#%41?é.png"))
    }

    @Test func `a URL of the web is refused, and nothing is written`() async throws {
        let url = try #require(URL(string: "https://example.org/photo.jpg"))
        let image = try Bitmap(size: 1) { _ in }
        for call in [
            { () async throws in _ = try await Bitmap(contentsOf: url) },
            { () async throws in _ = try await ImageProperties(contentsOf: url) },
            { () async throws in try await image.write(to: url) },
        ] {
            let error = await #expect(throws: ImageError.self) { try await call() }
            #expect(error?.description.hasPrefix("https://example.org/photo.jpg: is not a file URL") == true)
        }
    }

    @Test func `bytes that are no image, too many or damaged are errors without a path`() async throws {
        let data = try Data(contentsOf: URL(filePath: photo))
        var limits = ImageLimits()
        limits.maximumBytes = 1_000
        let (small, text) = (limits, Data("no image".utf8))
        for (status, read) in [
            (415, { () async throws in _ = try await Bitmap(data: text) }),
            (415, { () async throws in _ = try await ImageProperties(data: text) }),
            (413, { () async throws in _ = try await Bitmap(data: data, limits: small) }),
            (422, { () async throws in _ = try await Bitmap(data: data.prefix(2_000)) }),
        ] {
            let error = await #expect(throws: ImageError.self) { try await read() }
            #expect(error?.responseStatus == status && error?.path == nil)
        }
    }

    @Test func `an image becomes the bytes of a PNG or JPEG file`() async throws {
        let image = try await Bitmap(path: photo, targetSize: 60)
        let png = try await Bitmap(data: image.pngData())
        #expect(png.packedBytes == image.packedBytes)
        #expect(ImageFormat(try image.jpegData()) == .jpeg)
        #expect(try image.jpegData(quality: 0.1).count < image.jpegData(quality: 0.95).count)
        let clear = try await Bitmap(data: Bitmap(size: 8) { _ in }.jpegData())
        #expect(clear.pixels.allSatisfy { $0.prefix(3).allSatisfy { $0 > 250 } })
    }

    @Test(arguments: [PixelSize(width: -1, height: 60), PixelSize(width: 60, height: -1), PixelSize(-1)])
    func `a target with a negative side is an error`(size: PixelSize) async throws {
        let error = await #expect(throws: ImageError.self) {
            try await Bitmap(path: photo, targetSize: TargetSize(size))
        }
        #expect(error?.fault == .request)
    }

    @Test func `processors run without a pipeline`() async throws {
        let image = try await Bitmap(path: photo)
        let changed = try await image.applying([.crop(x: 10, y: 20, width: 100, height: 50), .grayscale()])
        #expect(changed.size == PixelSize(width: 100, height: 50))
        #expect(changed.pixels.allSatisfy { $0[0] == $0[1] && $0[1] == $0[2] })
        let blocking = try await onThread {
            try image.applyingBlocking([.crop(x: 10, y: 20, width: 100, height: 50), .grayscale()])
        }
        #expect(blocking.packedBytes == changed.packedBytes)
        let part = try image.cropped(to: .pixels(x: 10, y: 20, width: 100, height: 50))
        #expect(try await part.applying(.grayscale()).packedBytes == changed.packedBytes)
        #expect(throws: ImageError.self) { try image.cropped(to: .pixels(x: 400, y: 0, width: 9, height: 9)) }
        await #expect(throws: ImageError.self) { try await image.applying([.pixelate(side: 0)]) }
    }
}

/// A folder for the files of one test, removed with it.
final class ScratchFolder: Sendable {
    private let path = FileManager.default.temporaryDirectory.path + "/firn-files-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the path of a name in the folder.
    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, and returns its path.
    func write(_ data: Data, _ name: String) throws -> String {
        try data.write(to: URL(filePath: self(name)))
        return self(name)
    }

    /// The names in the folder, sorted.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }
}
