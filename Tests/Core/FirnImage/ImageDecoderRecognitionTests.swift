import FirnImage
import FirnTesting
import FoundationEssentials
import Testing

/// A decoder of content that starts with one text and has another one later, within the first bytes.
private struct MarkedDecoder: ImageDecoding {
    let start: String
    var mark = ""
    let format: ImageFormat

    func recognizes(_ head: Data) -> ImageFormat? {
        let text = String(decoding: head, as: UTF8.self)
        return text.hasPrefix(start) && (mark.isEmpty || text.contains(mark)) ? format : nil
    }

    func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        Session(format: format)
    }

    /// Counts its bytes; fails if it gets none or finds an X among them.
    final class Session: ImageDecodingSession {
        let format: ImageFormat
        var count = 0
        var isDamaged = false

        init(format: ImageFormat) { self.format = format }
        func append(_ data: Data) {
            count += data.count
            if data.contains(UInt8(ascii: "X")) { isDamaged = true }
        }
        func finish() {}
        func properties() throws(ImageError) -> ImageProperties? {
            if isDamaged { throw ImageError(.data, at: .decoding, "an X", format: format) }
            return count > 0 ? ImageProperties(format: format, size: PixelSize(width: count, height: 1)) : nil
        }
        func workingBytes(for options: DecodingOptions) -> Int { 0 }
        func decode(_ options: DecodingOptions) throws(ImageError) -> Bitmap {
            throw ImageError(.unsupported, at: .decoding, "no pixels")
        }
    }
}

@Suite struct ImageDecoderRecognitionTests {
    private static let special = ImageFormat(rawValue: "special")
    private static let plain = ImageFormat(rawValue: "plain")

    private func decoder() -> ImageDecoder {
        ImageDecoder(decoders: [
            MarkedDecoder(start: "test", mark: "special", format: Self.special),
            MarkedDecoder(start: "test", format: Self.plain),
        ])
    }

    private func fed(_ data: Data, by length: Int) throws -> ImageDecoder {
        let decoder = decoder()
        var rest = data[...]
        while !rest.isEmpty, decoder.status != .error {
            try decoder.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        decoder.finish()
        return decoder
    }

    @Test(arguments: [1, 3, 64, 1000, 10_000])
    func `the first decoder in order that recognizes the content decodes it, however late`(length: Int) throws {
        for distance in [0, 50, 2000, 3000] {
            let data = Data("test".utf8) + Data(repeating: 32, count: distance) + Data("special".utf8)
            let decoder = try fed(data, by: length)
            #expect(decoder.format == Self.special)
            #expect(decoder.size == PixelSize(width: data.count, height: 1))
        }
    }

    @Test(arguments: [1, 64, 10_000])
    func `decoders are not asked after the sniff length`(length: Int) throws {
        let data = Data("test".utf8) + Data(repeating: 32, count: ImageFormat.sniffLength) + Data("special".utf8)
        #expect(try fed(data, by: length).format == Self.plain)
    }

    @Test(arguments: [1, 5, 1000])
    func `a provisional decoder's failure does not fail the file`(length: Int) throws {
        // The provisional decoder fails at every X, and so does the right one, with another format.
        let data = Data("test   X".utf8) + Data(repeating: 32, count: 500) + Data("special".utf8)
        let decoder = try fed(data, by: length)
        #expect(decoder.error?.format == Self.special)
    }

    @Test(arguments: [1, 100, 100_000])
    func `unknown content is described by its first bytes`(length: Int) throws {
        let html = try fed(Data("<!DOCTYPE html><p>Not found</p>".utf8), by: length)
        #expect(html.status == .error)
        #expect(html.error?.message.contains("HTML") == true)
        let bmp = try fed(Data("BM".utf8) + Data(repeating: 0, count: 5000), by: length)
        #expect(bmp.error?.fault == .unsupported)
        #expect(bmp.error?.format == .bmp)
    }

    @Test func `unknown content fails once enough bytes have arrived`() throws {
        let decoder = decoder()
        try decoder.append(Data(repeating: 7, count: ImageFormat.sniffLength - 1))
        #expect(decoder.status == .unknown)
        try decoder.append(Data([7]))
        #expect(decoder.status == .error && decoder.error?.fault == .data)
        #expect(throws: ImageError.self) { try decoder.append(Data([7])) }
    }

    @Test func `no bytes are an error at the end only`() throws {
        let decoder = decoder()
        try decoder.append(Data())
        #expect(decoder.status == .unknown)
        #expect(try decoder.preview() == nil)
        decoder.finish()
        #expect(decoder.status == .error && decoder.error?.fault == .data)
    }
}
