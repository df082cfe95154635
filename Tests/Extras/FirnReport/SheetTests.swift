import FirnImage
import Testing

@testable import FirnReport

/// Tests the page of the contact sheet.
@Suite struct ContactSheetTests {
    private func image(_ size: PixelSize, _ red: UInt8) throws -> Bitmap {
        try Bitmap(size: size, format: .rgb8) { pixels in
            for y in 0..<size.height {
                for x in 0..<size.width { pixels.row(y).storeBytes(of: red, toByteOffset: x * 3, as: UInt8.self) }
            }
        }
    }

    /// Returns how many pixels have each level of red and no other color.
    private func reds(_ page: Bitmap) -> [Int] {
        var counts = [Int](repeating: 0, count: 256)
        page.withUnsafeBytes { bytes in
            for y in 0..<page.size.height {
                var at = y * page.bytesPerRow
                for _ in 0..<page.size.width {
                    if bytes[at + 1] == 0, bytes[at + 2] == 0 { counts[Int(bytes[at])] += 1 }
                    at += 3
                }
            }
        }
        return counts
    }

    @Test(arguments: [1, 2, 13, 120])
    func `Every image is on the page, whole, in a cell of its own`(number: Int) throws {
        let layout = SheetLayout(count: number)
        let cells = try (0..<number).map { index in
            ContactSheet.Cell(
                label: "image \(index)", detail: "",
                content: .image(try image(layout.imageSize, UInt8(40 + index))))
        }
        let page = try ContactSheet.draw(title: "all", cells: cells)
        #expect(page.size == layout.pageSize)
        #expect(page.size.width == SheetLayout.pageWidth)
        let reds = reds(page)
        for index in 0..<number { #expect(reds[40 + index] == layout.imageSize.area) }
    }

    @Test func `An image too large for its cell stays on the page`() throws {
        let huge = try image(PixelSize(width: 3000, height: 5000), 255)
        let page = try ContactSheet.draw(
            title: "", cells: [.init(label: "", detail: "", content: .image(huge))])
        #expect(page.size == SheetLayout(count: 1).pageSize)
    }

    @Test func `Any label can be drawn, and is cut to the width of its cell`() throws {
        let label = String(String.UnicodeScalarView((32...400).compactMap { Unicode.Scalar(UInt32($0)) }))
        let layout = SheetLayout(count: 30)
        let cell = ContactSheet.Cell(label: label, detail: label, content: .failure(label))
        let page = try ContactSheet.draw(title: label, cells: Array(repeating: cell, count: 30))
        #expect(page.size == layout.pageSize)
    }

    @Test func `All printable characters have a drawing of their own, at both sizes`() throws {
        for scale in 1...2 {
            let font = LabelFont(scale: scale, usesPango: false)
            var drawings: Set<[UInt8]> = []
            for code in UInt32(32)...127 {
                let text = Unicode.Scalar(code).map { String(Character($0)) } ?? ""
                let page = try Canvas.draw(PixelSize(width: 16, height: 24)) { canvas in
                    font.draw(text, x: 1, y: 1, SRGBColor(0xFFFFFF), on: canvas)
                }
                drawings.insert(page.withUnsafeBytes { Array($0) })
                #expect(font.width(of: text) <= 6 * scale)
            }
            // 95 characters, and the empty box of a missing glyph.
            #expect(drawings.count == 96)
        }
    }

    #if SVG
    @Test(arguments: [("Снежная гора.jpg", "Снежная горы.jpg"), ("χιόνι.png", "χιόνη.png"), ("été.webp", "ètè.webp")])
    func `a name in any script is drawn by its own letters`(name: String, other: String) throws {
        let font = LabelFont(scale: 2)
        func drawn(_ text: String, _ font: LabelFont) throws -> [UInt8] {
            let page = try Canvas.draw(PixelSize(width: 300, height: font.lineHeight)) { canvas in
                font.draw(text, x: 2, y: 0, SRGBColor(0xFFFFFF), on: canvas)
            }
            return page.withUnsafeBytes { Array($0) }
        }
        #expect(try drawn(name, font) != drawn(other, font))
        // The letters without Pango have one box for all non-ASCII characters.
        let letters = LabelFont(scale: 2, usesPango: false)
        #expect(try drawn(name, letters) == drawn(other, letters))
        #expect(try drawn(name, font).contains { $0 > 200 })
    }

    @Test func `markup and control characters are drawn, and break nothing`() throws {
        let font = LabelFont(scale: 1)
        let texts = [
            "a<b>&c;\"</text>", "a\u{1B}[31m", "\u{FFFE}x", "]]>", "a\nb", String(repeating: "wide ", count: 5_000),
        ]
        for text in texts {
            let page = try Canvas.draw(PixelSize(width: 200, height: font.lineHeight)) { canvas in
                font.draw(text, x: 0, y: 0, SRGBColor(0xFFFFFF), on: canvas)
            }
            #expect(page.withUnsafeBytes { $0.contains { $0 > 100 } }, "\(text.prefix(20))")
        }
    }
    #endif

    @Test func `Text is wrapped at spaces, long words are cut, and dots mark omitted text`() {
        let font = LabelFont(scale: 1)
        let text = "the server responded with 404 Not Found for aVeryLongNameWithoutAnySpacesInItAtAll.jpeg"
        for width in 20...200 {
            let lines = font.wrapped(text, width: width, limit: 3)
            #expect(lines.count <= 3)
            #expect(lines.allSatisfy { font.width(of: $0) <= width })
        }
        #expect(font.wrapped("one two", width: 500, limit: 3) == ["one two"])
        #expect(font.wrapped("", width: 50, limit: 3).isEmpty)
    }
}
