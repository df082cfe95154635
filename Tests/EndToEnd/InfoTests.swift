import FirnImage
import FoundationEssentials
import Testing

/// Tests `firn info`: names, order and types of the fields, errors, exit status.
@Suite final class InfoTests: CommandSuite {
    @Test func `An image is one JSON object with the documented fields in order`() throws {
        let data = try Images.png(31, 17, alpha: true)
        try scratch.write("a.png", data)
        let run = try firn.run(["info", "--json", "a.png"], in: scratch)
        #expect(
            run.lines == [
                #"{"path":"a.png","format":"png","width":31,"height":17,"displayWidth":31,"displayHeight":17,"#
                    + #""orientation":1,"frames":1,"durationsMs":null,"loopCount":null,"alpha":true,"bitDepth":8,"#
                    + #""colorSpace":"rgb","progressive":false,"bytes":\#(data.count),"schema":1}"#
            ])
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
    }

    @Test func `Results are printed in the order of the files`() throws {
        var names: [String] = []
        for index in 0..<60 {
            let name = "p\((index * 37) % 60).png"
            // Large images first: they take longest.
            try scratch.write(name, Images.png(index < 5 ? 600 : 3, 2 + index))
            names.append(name)
        }
        let run = try firn.run(["info", "--json"] + names, in: scratch)
        #expect(run.lines.count == 60)
        for (index, line) in run.lines.enumerated() {
            #expect(line.hasPrefix(#"{"path":"\#(names[index])","#))
            #expect(line.contains(#""height":\#(2 + index),"#))
        }
    }

    @Test func `Names with quotes, backslashes and control characters stay valid JSON`() throws {
        let name = "a\"b\\c\nd\u{1}é.png"
        try scratch.write(name, Images.png(1, 1))
        let run = try firn.run(["info", "--json", name], in: scratch)
        struct Path: Decodable { let path: String }
        let line = try #require(run.lines.first)
        #expect(try JSONDecoder().decode(Path.self, from: Data(line.utf8)).path == name)
    }

    @Test(arguments: [
        ("missing.png", "source"), ("page.jpg", "data"), ("empty.png", "data"), ("immense.png", "limit"),
        ("cut.png", "data"), ("folder", "source"), ("deep.jpg", "unsupported"),
    ])
    func `Bytes that are not an image are reported with the fault`(name: String, fault: String) throws {
        try scratch.write("page.jpg", Images.page)
        try scratch.write("empty.png", Data())
        try scratch.write("immense.png", Images.immensePNG())
        try scratch.write("cut.png", Images.png(9, 9).prefix(20))
        try scratch.write("folder/x", Data())
        try scratch.write("deep.jpg", Images.tenBitJPEG)
        try scratch.write("good.png", Images.png(2, 2))
        let run = try firn.run(["info", "--json", name, "good.png"], in: scratch)
        #expect(run.status == 1)
        #expect(run.lines.count == 2)
        #expect(run.lines.first?.hasPrefix(#"{"path":"\#(name)","error":{"fault":"\#(fault)","message":""#) == true)
        #expect(run.lines.last?.contains(#""width":2"#) == true, "the rest goes on")

        let plain = try firn.run(["info", name, "good.png"], in: scratch)
        #expect(plain.status == 1)
        #expect(plain.errorLines.count == 1)
        #expect(plain.errors.hasPrefix("firn: \(name): "))
        #expect(plain.lines.count == 1)
    }

    @Test func `A result that cannot be written is an error, not silence`() throws {
        try scratch.write("a.png", Images.png(2, 2))
        let run = try firn.run(["info", "a.png"], in: scratch, shell: "exec >/dev/full")
        #expect(run.status == 1)
        #expect(run.errorLines == ["firn: standard output: No space left on device"])
    }
}
