import CFirnCodecs
import FirnImage
import FirnSystem
import FoundationEssentials
import Testing

@testable import FirnCodecs

/// Files and decoders of the tests of isolated decoding.
enum IsolatedImages {
    /// An isolation with a decoder of this build.
    static func isolation(_ program: String, _ isolation: DecoderIsolation = .all) -> DecoderIsolation {
        var isolation = isolation
        isolation.decoderPath = BuiltProgram.folder + "/" + program
        return isolation
    }

    static let real = isolation("firn-decoder")

    /// Decodes a whole file.
    static func decode(
        _ data: Data, _ isolation: DecoderIsolation = real, limits: ImageLimits = ImageLimits(),
        cancellation: CancellationFlag = CancellationFlag(), options: DecodingOptions = DecodingOptions()
    ) throws -> Bitmap {
        let decoders = try ImageDecoders.standard(isolation: isolation)
        let decoder = try #require(decoders.first { $0.recognizes(data.prefix(ImageFormat.sniffLength)) != nil })
        let session = decoder.makeSession(limits: limits, cancellation: cancellation)
        try session.append(data)
        session.finish()
        return try session.decode(options)
    }

    /// A drawing of `content`.
    static func drawing(_ content: String, side: Int = 16) -> Data {
        Data("<svg xmlns='http://www.w3.org/2000/svg' width='\(side)' height='\(side)'>\(content)</svg>".utf8)
    }

    /// A good image: a red square.
    static let red = drawing("<rect width='16' height='16' fill='#f00'/>")

    /// Crashes librsvg 2.54, which asserts that an order is at most 20; other versions draw it.
    static let crashing = drawing(
        """
        <filter id='f'><feConvolveMatrix order='21' \
        kernelMatrix='\(Array(repeating: "1", count: 441).joined(separator: " "))'/>\
        </filter><rect width='16' height='16' filter='url(#f)'/>
        """)

    /// Computes for minutes.
    static let endless = drawing(
        "<filter id='f'><feTurbulence baseFrequency='.1' numOctaves='2000000000'/></filter>"
            + "<rect width='16' height='16' filter='url(#f)'/>")

    /// Needs a surface of 36 MB for each of 60 nested masks.
    static let hungry: Data = {
        var masks = "<mask id='m0'><rect width='3000' height='3000' fill='#fff'/></mask>"
        for index in 1..<60 {
            masks +=
                "<mask id='m\(index)'><rect width='3000' height='3000' fill='#fff' mask='url(#m\(index - 1))'/></mask>"
        }
        return drawing(masks + "<rect width='3000' height='3000' mask='url(#m59)'/>", side: 3000)
    }()

    /// A file for `firn-lying-decoder`: a TIFF header, and the number of the fault.
    static func lie(_ number: UInt8) -> Data { Data([0x49, 0x49, 42, 0, 8, 0, 0, 0, number, 0, 0, 0]) }

    /// The pixel at the top left.
    static func firstPixel(_ bitmap: Bitmap) -> [UInt8] { bitmap.withUnsafeBytes { Array($0.prefix(4)) } }
}

extension BuiltProgram {
    /// The folder of the running tests.
    static var folder: String {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { readlink("/proc/self/exe", $0.assumingMemoryBound(to: CChar.self), bytes.count) }
                ?? 0
        }
        let path = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }
}
