import FirnCodecs
import FirnImage
import FirnProcessing
import FoundationEssentials
import Testing

/// Tests `firn placeholder`: text, JSON, errors.
@Suite final class PlaceholderTests: CommandSuite {
    @Test func `Hashes and colors of an image are those of the library`() throws {
        try scratch.write("a.png", Images.png(90, 60, alpha: true))
        let image = try Images.bitmap(90, 60, alpha: true)
        let run = try firn.run(["placeholder", "--json", "a.png"], in: scratch)
        #expect(run.status == 0)
        let blur = try #require(BlurHash(image)).text
        let thumb = try #require(ThumbHash(image)).data.base64EncodedString()
        #expect(run.lines.count == 1)
        #expect(run.output.contains(#""width":90,"height":60,"blurHash":"\#(blur)""#), "\(run.output)")
        #expect(run.output.replacing("\\/", with: "/").contains(#""thumbHash":"\#(thumb)""#), "\(run.output)")
        #expect(run.output.contains(#""preview":"data:image"#))
    }

    @Test func `The output is a block of lines; other files are reported`() throws {
        try scratch.write("a.jpg", Images.jpeg(300, 200))
        try scratch.write("b.jpg", Images.page)
        let run = try firn.run(["placeholder", "b.jpg", "a.jpg", "--components", "5x4"], in: scratch)
        #expect(run.status == 1)
        #expect(run.errorLines.count == 1)
        try #require(run.lines.count == 6)
        #expect(run.lines[0] == "a.jpg: 300x200")
        // The first digit encodes the number of waves: 4 + 3 × 9.
        #expect(run.lines[1].split(separator: " ").last?.first == "V")
        #expect(run.lines[5].contains("data:image/webp;base64,"))
    }

    @Test func `A tiny preview has the requested side`() throws {
        try scratch.write("a.jpg", Images.jpeg(300, 200))
        let run = try firn.run(["placeholder", "a.jpg", "--preview", "24"], in: scratch)
        let address = try #require(run.lines.last?.split(separator: ",").last)
        let data = try #require(Data(base64Encoded: String(address)))
        try scratch.write("p.webp", data)
        #expect(try firn.run(["info", "--json", "p.webp"], in: scratch).output.contains(#""width":24,"height":16"#))
    }

    @Test(arguments: [["--components", "10x3"], ["--preview", "0"]])
    func `Numbers out of range are usage errors`(words: [String]) throws {
        try scratch.write("a.jpg", Images.jpeg(30, 20))
        #expect(try firn.run(["placeholder", "a.jpg"] + words, in: scratch).status == 2)
    }
}
