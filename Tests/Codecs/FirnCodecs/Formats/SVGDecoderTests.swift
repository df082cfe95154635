#if SVG
import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

@Suite struct SVGDecoderTests {
    private func svg(_ attributes: String, _ content: String = "") -> Data {
        Data("<svg xmlns=\"http://www.w3.org/2000/svg\" \(attributes)>\(content)</svg>".utf8)
    }

    private func size(_ attributes: String, _ content: String = "") throws -> PixelSize? {
        try session(svg(attributes, content)).properties()?.size
    }

    @Test func `sizes come from width and height, at 96 pixels to the inch`() throws {
        #expect(try size("width='12' height='7'") == PixelSize(width: 12, height: 7))
        #expect(try size("width='1in' height='25.4mm'") == PixelSize(width: 96, height: 96))
        #expect(try size("viewBox='0 0 30 20'") == PixelSize(width: 30, height: 20))
    }

    @Test func `shapes are drawn on nothing, with straight colors`() throws {
        let data = svg(
            "width='2' height='1'", "<rect width='1' height='1' fill='#ff8000' fill-opacity='0.2'/>")
        let pixels = try packed(session(data).decode(straight()))
        #expect(pixels[3] == 51 && pixels[0] == 255 && abs(Int(pixels[1]) - 128) <= 3)
        #expect(Array(pixels[4...]) == [0, 0, 0, 0])
    }

    @Test func `a smaller image is drawn at that size`() throws {
        let data = svg("width='400' height='200'", "<rect width='200' height='200' fill='red'/>")
        var options = straight()
        options.targetSize = TargetSize(width: 4, height: 2)
        let bitmap = try session(data).decode(options)
        #expect(bitmap.size == PixelSize(width: 4, height: 2))
        let red: [UInt8] = [255, 0, 0, 255]
        let nothing: [UInt8] = [0, 0, 0, 0]
        #expect(packed(bitmap) == (red + red + nothing + nothing) + (red + red + nothing + nothing))
    }

    @Test func `the estimate counts filters, and embedded images by their own size`() throws {
        func estimate(_ content: String) throws -> Int {
            let opened = try session(svg("width='100' height='100'", content))
            _ = try opened.properties()
            return opened.workingBytes(for: straight())
        }
        let plain = try estimate("")
        let filtered = try estimate("<filter id='f'><feOffset/></filter>")
        #expect(filtered - plain >= 100 * 100 * 4 * 8)
        // The head of a PNG of 3000 x 2000 pixels.
        let head = Data([0x89] + Array("PNG\r\n".utf8) + [0x1A, 10, 0, 0, 0, 13])
        let sides = Data(Array("IHDR".utf8) + [0, 0, 0x0B, 0xB8, 0, 0, 0x07, 0xD0, 8, 2, 0, 0, 0])
        let address = "data:image/png;base64," + (head + sides).base64EncodedString()
        let embedded = try estimate("<image width='9' height='9' href='\(address)'/>")
        #expect(embedded - plain >= 3000 * 2000 * 8)
    }

    @Test func `files and addresses outside are not read`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "firn-svg-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "red.svg")
        try svg("width='4' height='4'", "<rect width='4' height='4' fill='red'/>").write(to: file)
        for address in [file.absoluteString, file.path, "http://127.0.0.1:9/red.png"] {
            let data = svg("width='4' height='4'", "<image href='\(address)' width='4' height='4'/>")
            #expect(try packed(session(data).decode(straight())).allSatisfy { $0 == 0 }, "\(address)")
        }
        let entity = Data(
            """
            <!DOCTYPE svg [<!ENTITY x SYSTEM "\(file.absoluteString)">]>
            <svg xmlns="http://www.w3.org/2000/svg" width="4" height="4">&x;</svg>
            """.utf8)
        let pixels = try? packed(session(entity).decode(straight()))
        // The decoder may leave out an external entity or reject the document.
        #expect(pixels?.allSatisfy { $0 == 0 } ?? true)
    }

    @Test func `entities that multiply are refused`() throws {
        var text = "<!DOCTYPE svg [<!ENTITY a0 \"<rect width='1' height='1'/>\">"
        for level in 1...9 {
            let body = String(repeating: "&a\(level - 1);", count: 10)
            text += "<!ENTITY a\(level) \"\(body)\">"
        }
        text += "]><svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"4\">&a9;</svg>"
        let session = try session(Data(text.utf8))
        #expect(decodingError { _ = try session.decode(straight()) }?.fault == .data)
    }

    @Test func `nesting without end and references to themselves end in an image or an error`() throws {
        let depth = 20_000
        let nested = String(repeating: "<g>", count: depth) + String(repeating: "</g>", count: depth)
        for content in [nested, "<g id='a'><use href='#a'/></g>"] {
            let session = try session(svg("width='4' height='4'", content))
            if let error = decodingError({ _ = try session.decode(straight()) }) { #expect(!error.message.isEmpty) }
        }
    }

    @Test func `sizes of nothing, and text that is no SVG, are refused`() throws {
        #expect(decodingError { _ = try size("width='0' height='5'") }?.fault == .data)
        #expect(decodingError { _ = try session(Data("<svg <<".utf8)).properties() }?.fault == .data)
        let page = Data("<!--\(String(repeating: "x", count: 5_000))--><html></html>".utf8)
        let other = FormatDecoder.svg.makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
        try other.append(page)
        other.finish()
        #expect(decodingError { _ = try other.properties() }?.fault == .data)
    }
}
#endif
