import FirnCodecs
import FirnSync
import FirnTesting
import Foundation
import Testing

@testable import FirnCodecs

/// Tests conversions from bytes to bytes.
@Suite struct ImageConverterTests {
    private let photo: Data
    private let size = PixelSize(width: 600, height: 400)

    init() throws {
        var metadata = EncodingMetadata()
        metadata.exif = HandmadeEXIF(orientation: 1).data
        photo = try JPEGEncoder().encode(
            Bitmap.noise(size, format: .rgb8, seed: 1), metadata: metadata, cancellation: CancellationFlag())
    }

    /// The limits of uploads without those of time, in the tests' own process.
    private var upload: ImageConverter.Configuration {
        var upload = ImageConverter.Configuration.upload
        upload.isolation = .none
        upload.time = nil
        upload.receivingTime = nil
        return upload
    }

    private func pieces(_ data: Data, of length: Int = 1_000) -> AsyncStream<ArraySlice<UInt8>> {
        AsyncStream { stream in
            for start in stride(from: 0, to: data.count, by: length) {
                stream.yield(Array(data)[start..<min(data.count, start + length)])
            }
            stream.finish()
        }
    }

    @Test func `an upload becomes a file of the format and size that are asked for`() async throws {
        let converter = try ImageConverter(upload)
        let result = try await converter.convert(photo, to: .webp, targetSize: 90)
        #expect(result.size == PixelSize(width: 90, height: 60) && result.source.displaySize == size)
        #expect(result.format == .webp && result.mediaType == "image/webp")
        #expect(ImageFormat(result.data) == .webp)
        #expect(result.blurHash?.text.count ?? 0 > 6)
        let decoder = ImageDecoder()
        try decoder.setData(result.data, allDataReceived: true)
        #expect(decoder.size == result.size && decoder.properties?.exif == nil)
        let streamed = try await converter.convert(pieces(photo), to: .webp, targetSize: 90)
        #expect(streamed.data == result.data)
        let filled = try await converter.convert(
            pieces(photo), to: .png, targetSize: TargetSize(60, mode: .fill),
            processors: [.crop(size: PixelSize(60)), .grayscale()])
        #expect(filled.size == PixelSize(60))
    }

    @Test func `processors alone decide how many pixels are decoded`() async throws {
        let result = try await ImageConverter(upload).convert(
            photo, to: .png, processors: [.resize(size: PixelSize(50), contentMode: .fill, crop: true)])
        #expect(result.size == PixelSize(50))
    }

    @Test(arguments: [
        (PixelSize(50), PixelSize(50)), (PixelSize(256), PixelSize(256)), (PixelSize(500), PixelSize(400)),
        (PixelSize(width: 1200, height: 600), PixelSize(width: 600, height: 300)),
    ])
    func `a crop of a reduced or whole decode has the target's shape`(target: PixelSize, size: PixelSize) async throws {
        let converter = try ImageConverter(upload)
        let result = try await converter.convert(photo, to: .png, processors: [.resize(size: target, crop: true)])
        #expect(result.size == size)
        let enlarged = try await converter.convert(
            photo, to: .png, processors: [.resize(size: target, crop: true, upscale: true)])
        #expect(enlarged.size == target)
    }

    @Test func `EXIF data is kept only on request`() async throws {
        let converter = try ImageConverter(upload)
        for policy in [EncodingMetadata.Policy.profile, .all] {
            let result = try await converter.convert(photo, to: .png, keeping: policy)
            let decoder = ImageDecoder()
            try decoder.setData(result.data, allDataReceived: true)
            #expect((decoder.properties?.metadata.camera == "Me") == (policy == .all))
        }
    }

    @Test func `a file is converted to a file`() async throws {
        let folder = try ScratchFolder()
        let path = try folder.write(photo, "photo.jpg")
        let converter = try ImageConverter()
        try await converter.convert(
            contentsOf: URL(filePath: path), to: URL(filePath: folder("small.webp")), targetSize: 60, keeping: .all)
        let properties = try await ImageProperties(path: folder("small.webp"))
        #expect(properties.displaySize == PixelSize(width: 60, height: 40) && properties.metadata.camera == "Me")
        let error = await #expect(throws: ImageError.self) {
            try await converter.convert(
                contentsOf: URL(filePath: folder("none.jpg")), to: URL(filePath: folder("small.webp")))
        }
        #expect(error?.path == folder("none.jpg"))
        #expect(try folder.names == ["photo.jpg", "small.webp"])
    }

    // MARK: Statuses

    private func status(
        of data: Data, _ change: (inout ImageConverter.Configuration) -> Void = { _ in }
    ) async throws -> Int? {
        var configuration = upload
        change(&configuration)
        let converter = try ImageConverter(configuration)
        let error = await #expect(throws: ImageError.self) { try await converter.convert(data, to: .webp) }
        let again = await #expect(throws: ImageError.self) { try await converter.convert(pieces(data), to: .webp) }
        #expect(error?.responseStatus == again?.responseStatus)
        // A client does not know the program's settings.
        for text in [error?.message, again?.message] {
            #expect(text?.contains("Limits") == false && text?.contains("Configuration") == false, "\(text ?? "")")
        }
        return error?.responseStatus
    }

    @Test func `a failure has the status of an HTTP response`() async throws {
        #expect(try await status(of: photo) { $0.limits.maximumBytes = photo.count - 1 } == 413)
        #expect(try await status(of: photo) { $0.limits.maximumPixels = size.area - 1 } == 413)
        #expect(try await status(of: photo) { $0.limits.maximumWorkingBytes = 1_000 } == 413)
        #expect(try await status(of: photo) { $0.formats = [.png] } == 415)
        #expect(try await status(of: Data("no image".utf8)) == 415)
        #expect(try await status(of: Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)) == 415)
        #expect(try await status(of: Data()) == 415)
        #expect(try await status(of: photo.prefix(3_000)) == 422)
        #expect(try await status(of: photo) { $0.time = .nanoseconds(1) } == 504)
        #expect(try await status(of: photo) { $0.limits.maximumDecodingTime = .nanoseconds(1) } == 504)
    }

    @Test func `a format that is not written is the server's mistake`() async throws {
        let converter = try ImageConverter(upload)
        let error = await #expect(throws: ImageError.self) { try await converter.convert(photo, to: .svg) }
        #expect(error?.responseStatus == 500)
    }

    @Test func `a body is not read beyond the limit, nor if it is announced to be longer`() async throws {
        var configuration = upload
        configuration.limits.maximumBytes = 2_500
        let converter = try ImageConverter(configuration)
        let read = Locked(0)
        let endless = AsyncStream<[UInt8]> {
            read.withLock { $0 += 1 }
            return [UInt8](repeating: 0, count: 1_000)
        }
        let error = await #expect(throws: ImageError.self) { try await converter.convert(endless, to: .webp) }
        #expect(error?.responseStatus == 413 && read.withLock { $0 } == 3)
        let announced = await #expect(throws: ImageError.self) {
            try await converter.convert(endless, length: 2_501, to: .webp)
        }
        #expect(announced?.responseStatus == 413 && read.withLock { $0 } == 3)
    }

    @Test func `a body that does not arrive in time has status 408`() async throws {
        var configuration = upload
        configuration.receivingTime = .milliseconds(1)
        let (stream, _) = AsyncStream<[UInt8]>.makeStream()
        let converter = try ImageConverter(configuration)
        let error = await #expect(throws: ImageError.self) { try await converter.convert(stream, to: .webp) }
        #expect(error?.responseStatus == 408)
    }

    @Test func `a cancelled task fails with the fault cancelled`() async throws {
        let (stream, source) = AsyncStream<[UInt8]>.makeStream()
        let converter = try ImageConverter(upload)
        let task = Task { try await converter.convert(stream, to: .webp) }
        source.yield([0xFF])
        task.cancel()
        let error = await #expect(throws: ImageError.self) { try await task.value }
        #expect(error?.fault == .cancelled)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await converter.convert(photo, to: .webp)
        }
        let second = await #expect(throws: ImageError.self) { try await cancelled.value }
        #expect(second?.fault == .cancelled)
    }

    @Test func `a required isolation needs the decoder programs`() throws {
        var configuration = ImageConverter.Configuration.upload
        configuration.isolation.decoderPath = "/nonexistent/firn-decoder"
        let error = #expect(throws: ImageError.self) { try ImageConverter(configuration) }
        #expect(error?.fault == .unsupported)
    }

    // MARK: Bounds

    @Test func `calls beyond the bound are refused, and the rest have their turns in order`() async throws {
        let gate = ConversionGate(concurrency: 1, maximumWaiting: 2)
        let (begun, goes) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let order = Locked<[Int]>([])
        let first = Task {
            try await gate.admit {
                try await gate.turn {
                    begun.continuation.finish()
                    for await _ in goes.stream {}
                    order.withLock { $0.append(0) }
                }
            }
        }
        for await _ in begun.stream {}
        var others: [Task<Void, any Error>] = []
        for number in 1...2 {
            others.append(
                Task { try await gate.admit { try await gate.turn { order.withLock { $0.append(number) } } } })
            try await eventually { gate.waiting >= number }
        }
        let error = await #expect(throws: ImageError.self) { try await gate.admit {} }
        #expect(error?.responseStatus == 503)
        goes.continuation.finish()
        try await first.value
        for task in others { try await task.value }
        #expect(order.withLock { $0 } == [0, 1, 2])
        try await gate.admit { try await gate.turn {} }
    }

    @Test func `a cancelled call leaves the line`() async throws {
        let gate = ConversionGate(concurrency: 1, maximumWaiting: nil)
        try await gate.turn {
            let task = Task { try await gate.turn {} }
            try await eventually { gate.waiting >= 1 }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(gate.waiting == 0)
        }
        try await gate.turn {}
    }
}
