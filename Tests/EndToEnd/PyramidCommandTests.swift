import FirnImage
import FirnTesting
import FoundationEssentials
import Testing

/// Tests `firn pyramid`, and `firn load --region`.
@Suite final class PyramidCommandTests: CommandSuite {
    @Test func `Tiles that were built ahead serve regions, which equal the crop of the decode`() throws {
        try scratch.write("a.png", Images.png(700, 520))
        let built = try firn.run(["pyramid", "a.png", "--cache", "c", "--json"], in: scratch)
        #expect(built.status == 0)
        #expect(
            built.lines.first
                == #"{"source":"a.png","width":700,"height":520,"tileSide":256,"bytes":1911000,"wasStored":false,"#
                + #""levels":[{"width":700,"height":520,"tiles":9,"bytes":1456000},"#
                + #"{"width":350,"height":260,"tiles":4,"bytes":364000},"#
                + #"{"width":175,"height":130,"tiles":1,"bytes":91000}]}"#)
        let again = try firn.run(["pyramid", "a.png", "--cache", "c"], in: scratch)
        #expect(again.status == 0 && again.lines.first?.contains("there before") == true)
        let region = ["a.png", "--region", "300,200,150x120", "--format", "png"]
        let tiled = try firn.run(["load"] + region + ["--cache", "c", "--json", "-o", "t.png"], in: scratch)
        #expect(tiled.status == 0 && tiled.lines.first?.contains(#""from":"bitmap""#) == true)
        let decoded = try firn.run(["load"] + region + ["--no-cache", "--json", "-o", "d.png"], in: scratch)
        #expect(decoded.status == 0 && decoded.lines.first?.contains(#""width":150,"height":120"#) == true)
        #expect(try scratch.data("t.png") == scratch.data("d.png"))
        let checked = try firn.run(["cache", "verify", "c"], in: scratch)
        #expect(checked.status == 0)
    }

    @Test func `A region and a size in percent are of the region`() throws {
        try scratch.write("a.png", Images.png(400, 200))
        let run = try firn.run(
            ["load", "a.png", "--region", "50%,0%,50%x100%", "--size", "50%", "--no-cache", "--json"], in: scratch)
        #expect(run.lines.first?.contains(#""width":100,"height":100"#) == true)
    }

    @Test func `A failed build is reported, and wrong usage is refused`() throws {
        try scratch.write("a.png", Images.png(300, 300))
        let missing = try firn.run(["pyramid", "none.png", "a.png", "--cache", "c", "--json"], in: scratch)
        #expect(missing.status == 1 && missing.lines.count == 2)
        #expect(missing.lines.first?.contains(#""fault":"source""#) == true)
        #expect(try firn.run(["pyramid", "a.png", "--no-cache"], in: scratch).status == 2)
        #expect(try firn.run(["load", "a.png", "--region", "1,2,3"], in: scratch).status == 2)
        let outside = try firn.run(["load", "a.png", "--region", "300,0,5x5", "--no-cache"], in: scratch)
        #expect(outside.status == 1 && outside.errors.contains("has no pixel in the image of 300x300 pixels"))
    }
}
