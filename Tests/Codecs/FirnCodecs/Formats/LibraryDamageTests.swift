import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests truncated files and limits of the formats whose libraries a build may leave out.
@Suite struct LibraryDamageTests {
    /// An image of 24 by 16 pixels, and the lengths at which it is cut.
    struct Sample: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let data: Data
        let lengths: StrideTo<Int>

        init(_ name: String, _ data: Data, from first: Int, by step: Int) {
            testDescription = name
            self.data = data
            lengths = stride(from: first, to: data.count - 1, by: step)
        }
    }

    static var samples: [Sample] {
        var samples: [Sample] = []
        #if AVIF
        samples.append(Sample("AVIF", ModernSamples.alphaAVIF, from: 40, by: 23))
        #endif
        #if HEIC
        samples.append(Sample("HEIC", ModernSamples.alphaHEIC, from: 40, by: 97))
        #endif
        #if JPEGXL
        samples.append(Sample("JPEG XL", ModernSamples.losslessJXL, from: 3, by: 5))
        #endif
        return samples
    }

    @Test(arguments: samples)
    func `files truncated anywhere are an error`(sample: Sample) throws {
        for count in sample.lengths {
            let session = try session(sample.data.prefix(count))
            #expect(decodingError { _ = try session.decode(straight()) } != nil, "\(count) bytes")
        }
    }

    @Test(arguments: samples)
    func `an image larger than the limit is refused`(sample: Sample) throws {
        var limits = ImageLimits()
        limits.maximumPixels = 24 * 16 - 1
        let session = try session(sample.data, limits: limits)
        let fault = decodingError { _ = try session.properties() }?.fault
        // libavif reports its own limit as damage.
        #expect(sample.testDescription == "AVIF" ? fault != nil : fault == .limit)
    }
}
