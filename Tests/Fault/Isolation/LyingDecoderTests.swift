import CFirnCodecs
import FirnImage
import FirnSystem
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// The faults of `firn-lying-decoder`, in the order of its enum.
enum Lie: UInt8, CaseIterable {
    case honest, hugeImage, noReply, halfAReply, twoReplies, extraDescriptors, manyRows, shortStride, hugeStride
    case silence, missingBlobs, longBlobs, wildMessage, unknownStatus, resizedMemory, otherCall, wholeRows, noRows
    case earlyEnd, noFrames, randomBytes, emptyImage, hugeOutput, longReply, closedImage, closedWhole
    case forgedEnd, forgedUnconfined, forgedStart, drippedBlobs, ignoredClose
}

@Suite("A decoder that lies", .serialized)
struct LyingDecoderTests {
    private let isolation = IsolatedImages.isolation("firn-lying-decoder")

    @Test(arguments: Lie.allCases.map(\.rawValue))
    func `every lie is an error of one printable line`(_ number: UInt8) throws {
        var limits = ImageLimits()
        limits.maximumDecodingTime = .milliseconds(500)
        let isTrue = [Lie.honest, .resizedMemory, .closedImage, .ignoredClose].map(\.rawValue).contains(number)
        do {
            let image = try IsolatedImages.decode(IsolatedImages.lie(number), isolation, limits: limits)
            #expect(isTrue || number == Lie.randomBytes.rawValue)
            #expect(IsolatedImages.firstPixel(image)[1] == 7)
        } catch let error as ImageError {
            #expect(!isTrue)
            #expect(error.fault == .data || error.fault == .limit)
            #expect(error.message.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        }
        // The next image gets another process.
        #expect(try IsolatedImages.decode(IsolatedImages.lie(0), isolation).size.width == 2)
    }

    @Test func `a reply that makes no sense proves nothing about the file: it is tried again each time`() {
        let file = IsolatedImages.lie(Lie.manyRows.rawValue) + Data("again".utf8)
        for _ in 0..<4 {
            let error = #expect(throws: ImageError.self) { try IsolatedImages.decode(file, isolation) }
            #expect(error?.message == WorkerEnd.nonsense.error.message)
        }
    }

    @Test(arguments: [Lie.forgedEnd, .forgedUnconfined, .forgedStart].map(\.rawValue))
    func `an end that a worker claims does not hide its crash`(_ number: UInt8) throws {
        let data = IsolatedImages.lie(number) + Data("claimed".utf8)
        let error = #expect(throws: ImageError.self) { try IsolatedImages.decode(data, isolation) }
        #expect(error?.message == "the decoder crashed by signal 6")
        #expect(error?.fault == .data)
    }

    @Test func `a worker that does not end when its image is done is killed`() throws {
        for number in UInt8(0)..<20 {
            let data = IsolatedImages.lie(Lie.ignoredClose.rawValue) + Data([number])
            #expect(try IsolatedImages.decode(data, isolation).size.width == 2)
        }
        // The system keeps 15 characters of a name. All that are not children of this process are workers.
        #expect(Processes.settles { Processes.named("firn-lying-deco").allSatisfy { $0.parent == getpid() } })
    }

    @Test func `metadata that come a byte at a time end at the time limit of the whole call`() throws {
        var limits = ImageLimits()
        limits.maximumDecodingTime = .milliseconds(300)
        let start = ContinuousClock.now
        let error = #expect(throws: ImageError.self) {
            try IsolatedImages.decode(IsolatedImages.lie(Lie.drippedBlobs.rawValue), isolation, limits: limits)
        }
        #expect(error?.fault == .limit && error?.setting == "ImageLimits.maximumDecodingTime")
        // 64 MiB would take minutes.
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    /// The workers that read texts and profiles.
    private func metadata() throws -> CodecWorkers {
        var isolation = isolation
        // The stand-in ends with its first image.
        isolation.imagesPerProcess = 1
        return try #require(try DecoderHost(isolation, DecodingWatch()).metadata(ImageLimits()))
    }

    @Test(arguments: UInt8(0)..<5)
    func `a worker's texts are checked`(_ lie: UInt8) throws {
        let workers = try metadata()
        if lie == 0 { return #expect(try workers.unpacked(Data([lie]), most: 10) == Data("xxxx".utf8)) }
        let error = #expect(throws: ImageError.self) { try workers.unpacked(Data([lie]), most: 10) }
        #expect(error?.message == WorkerEnd.nonsense.error.message)
        // Longer than what was asked for.
        #expect(throws: ImageError.self) { try workers.unpacked(Data([0]), most: 3) }
    }

    @Test(arguments: UInt8(5)..<8)
    func `a worker's color profile and pixels are checked`(_ lie: UInt8) throws {
        var icc = [UInt8](repeating: 0, count: 132)
        icc[0] = lie
        icc.replaceSubrange(16..<20, with: Array("RGB ".utf8))
        icc.replaceSubrange(36..<40, with: Array("acsp".utf8))
        let profile = try #require(ColorProfile(icc: Data(icc)))
        let workers = try metadata()
        let transform = ProfileTransform(profile: profile, from: .rgba8, to: .rgba8)
        let error = #expect(throws: ImageError.self) {
            #expect(try RemoteTransform(transform, workers).result() == FIRN_COLOR_TRANSFORM)
            _ = try Bitmap(size: PixelSize(width: 4, height: 2), format: .rgba8Straight) { pixels in
                let block = PixelBlock(pixels, rows: 0..<2)
                try RemoteTransform(transform, workers).apply(pixels.base, bytesPerRow: pixels.bytesPerRow, to: block)
            }
        }
        #expect(error?.message == WorkerEnd.nonsense.error.message)
    }

    @Test func `replies of random bytes never make an image of more than the limits`() {
        for _ in 0..<100 {
            var limits = ImageLimits()
            limits.maximumDecodingTime = .milliseconds(500)
            // Other content each time, so that it is not refused as a file that is known to crash.
            let data =
                IsolatedImages.lie(Lie.randomBytes.rawValue) + Data((0..<8).map { _ in UInt8.random(in: 0...255) })
            if let image = try? IsolatedImages.decode(data, isolation, limits: limits) {
                #expect(image.size.area <= limits.maximumPixels)
            }
        }
    }
}
