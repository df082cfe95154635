import FirnCodecs
import FirnImage
import FoundationEssentials
import FirnSystem
import Testing

/// Tests `firn metadata`.
@Suite final class MetadataCommandTests: CommandSuite {
    @Test func `fields are set, shown and removed in place`() throws {
        try scratch.write("a.jpg", Images.jpeg(40, 30))
        chmod(scratch.path("a.jpg"), 0o640)
        let set = try firn.run(
            ["metadata", "--set", "title=Harbor", "--set", "keywords=sea, ship", "--set", "place=53.5,-9.25", "a.jpg"],
            in: scratch)
        #expect(set.status == 0 && set.lines == ["a.jpg: changed"], "\(set.errors)")
        var status = stat()
        #expect(stat(scratch.path("a.jpg"), &status) == 0 && status.st_mode & 0o777 == 0o640)
        let shown = try firn.run(["metadata", "--json", "a.jpg"], in: scratch)
        #expect(
            shown.output.contains(
                #""metadata":{"Title":"Harbor","Keywords":["sea","ship"],"GPSLatitude":53.5,"GPSLongitude":-9.25}"#),
            "\(shown.output)")
        let removed = try firn.run(["metadata", "--remove", "place,title", "a.jpg", "-o", "b.jpg"], in: scratch)
        #expect(removed.status == 0 && removed.lines == ["a.jpg -> b.jpg: changed"], "\(removed.errors)")
        let rest = try firn.run(["metadata", "b.jpg"], in: scratch)
        #expect(rest.lines == ["b.jpg: 1 field", "  Keywords: sea; ship"], "\(rest.lines)")
        #expect(try firn.run(["metadata", "--strip", "b.jpg"], in: scratch).status == 0)
        #expect(try firn.run(["metadata", "b.jpg"], in: scratch).lines == ["b.jpg: 0 fields"])
    }

    @Test func `a file that cannot be changed stays, and is an error`() throws {
        let gif = try #require(ImageEncoders.encoder(for: .gif)).encode(Images.bitmap(8, 8))
        let jpeg = try Images.jpeg(40, 30)
        try scratch.write("a.gif", gif)
        try scratch.write("cut.jpg", jpeg.prefix(jpeg.count / 2))
        for name in ["a.gif", "cut.jpg"] {
            let before = try scratch.data(name)
            let run = try firn.run(["metadata", "--set", "title=T", name], in: scratch)
            #expect(run.status == 1 && run.errors.contains(name), "\(run.errors)")
            #expect(try scratch.data(name) == before)
        }
        #expect(scratch.files().count == 2)
    }

    @Test(arguments: [["--set", "titel=T"], ["--set", "place=91,0"], ["--remove", "all"], ["--set", "taken=now"]])
    func `a wrong field is a usage error`(words: [String]) throws {
        #expect(try firn.run(["metadata"] + words + ["a.jpg"], in: scratch).status == 2)
    }
}
