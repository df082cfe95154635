import FirnCodecs
import FirnImage
import FirnSync
import FirnTesting
import FoundationEssentials
import Testing

/// Stops decodes in this process at random moments, and cuts files anywhere: no library ends the process.
///
/// `FIRN_STOPS=2000 Scripts/swift test --filter StoppedDecodeTests` does so 2,000 times for each format.
@Suite struct StoppedDecodeTests {
    private static let count = ProcessInfo.processInfo.environment["FIRN_STOPS"].flatMap { Int($0) } ?? 40
    private static let images = GeneratedImages.all + ModeImages.all + sequences
    #if HEIC
    /// Sequences of HEVC, which other code reads than still images.
    private static let sequences = ["alpha", "opengop", "reordered", "tenbit"].compactMap { name in
        let folder = URL(filePath: #filePath).appending(path: "../../../../Samples/Sequences").standardized
        let file = try? Data(contentsOf: folder.appending(path: "\(name).heics"))
        return file.map { GeneratedImage(name, .heic, $0, [], size: PixelSize(96)) }
    }
    #else
    private static let sequences: [GeneratedImage] = []
    #endif
    private static let formats = Set(images.map(\.format)).sorted { $0.rawValue < $1.rawValue }

    /// Returns the images of a format, with the time that each takes.
    private static func timed(_ format: ImageFormat) throws -> [(image: GeneratedImage, time: Duration)] {
        try images.filter { $0.format == format }.map { image in
            let start = ContinuousClock.now
            _ = try decodeAll(image.data, ImageLimits(), CancellationFlag())
            return (image, ContinuousClock.now - start)
        }
    }

    /// Decodes up to three frames; returns their number.
    private static func decodeAll(_ file: Data, _ limits: ImageLimits, _ flag: CancellationFlag) throws -> Int {
        let decoders = try ImageDecoders.standard(isolation: .none)
        guard let decoder = decoders.first(where: { $0.recognizes(file.prefix(ImageFormat.sniffLength)) != nil })
        else { return 0 }
        let session = decoder.makeSession(limits: limits, cancellation: flag)
        try session.append(file)
        session.finish()
        var options = DecodingOptions()
        let frames = min(3, try session.frames().count)
        for frame in 0..<frames {
            options.frame = frame
            _ = try session.decode(options)
        }
        return frames
    }

    @Test(arguments: formats)
    func `a decode that is stopped at any moment throws that, and the next one succeeds`(format: ImageFormat)
        async throws
    {
        let images = try StoppedDecodeTests.timed(format)
        let canceller = WorkerQueue(count: 1)
        var random = SeededGenerator(seed: 51)
        for number in 0..<StoppedDecodeTests.count {
            // Other tests get the thread between two decodes.
            await Task.yield()
            let (image, time) = images[number % images.count]
            let moment = time * Double.random(in: 0...1.2, using: &random)
            var limits = ImageLimits()
            let flag = CancellationFlag()
            if number % 2 == 0 {
                limits.maximumDecodingTime = moment
            } else {
                let end = ContinuousClock.now + moment
                canceller.run {
                    while ContinuousClock.now < end {}
                    flag.cancel()
                }
            }
            do {
                #expect(try StoppedDecodeTests.decodeAll(image.data, limits, flag) > 0)
            } catch let error as ImageError {
                #expect(error.fault == (number % 2 == 0 ? .limit : .cancelled), "\(image.name): \(error.message)")
            }
        }
        for (image, _) in images {
            #expect(try StoppedDecodeTests.decodeAll(image.data, ImageLimits(), CancellationFlag()) > 0)
        }
    }

    @Test(arguments: formats)
    func `a file that is cut anywhere is an error or an image`(format: ImageFormat) async throws {
        let images = StoppedDecodeTests.images.filter { $0.format == format }
        var random = SeededGenerator(seed: 52)
        for number in 0..<StoppedDecodeTests.count {
            await Task.yield()
            let file = images[number % images.count].data
            let cut = file.prefix(Int.random(in: 0..<file.count, using: &random))
            _ = try? StoppedDecodeTests.decodeAll(cut, ImageLimits(), CancellationFlag())
        }
    }
}
