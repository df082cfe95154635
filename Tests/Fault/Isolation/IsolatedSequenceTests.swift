import FirnImage
import FoundationEssentials
import Testing

@testable import FirnCodecs

@Suite("Isolated HEIC sequences", .serialized)
struct IsolatedSequenceTests {
    private static let folder = URL(filePath: #filePath).appending(path: "../../../Samples/Sequences").standardized
    private static let names = ["plain", "reordered", "opengop", "alpha", "tenbit", "gray", "odd", "professional"]

    private func sequence(_ name: String) throws -> Data {
        try Data(contentsOf: IsolatedSequenceTests.folder.appending(path: "\(name).heics"))
    }

    /// Decodes frames in one session, and returns their pixels.
    private func frames(
        _ data: Data, _ isolation: DecoderIsolation, _ order: [Int], limits: ImageLimits = ImageLimits()
    ) throws -> [[UInt8]] {
        var decoder = FormatDecoder.heic
        decoder.isolation = isolation
        let session = decoder.makeSession(limits: limits, cancellation: CancellationFlag())
        try session.append(data)
        session.finish()
        return try order.map { frame in
            var options = DecodingOptions()
            options.frame = frame
            return try session.decode(options).withUnsafeBytes { Array($0) }
        }
    }

    @Test(arguments: names)
    func `frames in any order have the pixels that they have in the program's process`(_ name: String) throws {
        let data = try sequence(name)
        let order = [0, 1, 2, 1, 0, 2]
        #expect(try frames(data, IsolatedImages.real, order) == frames(data, .none, order))
    }

    @Test func `a damaged sequence is an error or an image, and the next one decodes`() throws {
        let whole = try sequence("reordered")
        let expected = try frames(whole, .none, [0])
        var seed: UInt64 = 1
        func random(below bound: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % bound
        }
        for _ in 0..<60 {
            var data = whole
            for _ in 0..<(1 + random(below: 20)) {
                data[data.startIndex + random(below: data.count)] = UInt8(random(below: 256))
            }
            do {
                let images = try frames(data, IsolatedImages.real, [0, 1])
                #expect(images.allSatisfy { !$0.isEmpty })
            } catch let error as ImageError {
                #expect(!error.message.isEmpty)
            }
        }
        #expect(try frames(whole, IsolatedImages.real, [0]) == expected)
    }

    @Test func `every lie about a sequence is an error of one printable line`() throws {
        let isolation = IsolatedImages.isolation("firn-lying-decoder")
        let whole = try sequence("plain")
        var limits = ImageLimits()
        limits.maximumDecodingTime = .milliseconds(500)
        // Each worker tells the next lie.
        for number in 0..<48 {
            // An ignored box, so that the file is not refused as one that is known to crash.
            let data = whole + Data([0, 0, 0, 9, 0x66, 0x72, 0x65, 0x65, UInt8(number)])
            let error = #expect(throws: ImageError.self) {
                try frames(data, isolation, [0], limits: limits)
            }
            #expect(error?.message.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } == true)
        }
    }
}
