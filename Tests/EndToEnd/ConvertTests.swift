import FirnCodecs
import FirnImage
import FoundationEssentials
import Testing

/// Tests `firn convert`: formats, options, animations, output paths, errors.
@Suite final class ConvertTests: CommandSuite {
    private func animation() throws -> Data {
        let session = try GIFEncoder().makeAnimation(size: PixelSize(width: 24, height: 16), repetitions: .plays(3))
        for frame in 0..<4 {
            let image = try Bitmap(size: PixelSize(width: 24, height: 16), format: .rgb8) { pixels in
                for y in 0..<16 { pixels.row(y).initializeMemory(as: UInt8.self, repeating: 60, count: 72) }
                pixels.row(frame * 4).initializeMemory(as: UInt8.self, repeating: 250, count: 30)
            }
            try session.append(image, duration: .milliseconds(100 + 50 * frame))
        }
        return try session.finish()
    }

    @Test(arguments: ImageEncoders.formats)
    func `Every supported format is written beside the source`(format: ImageFormat) throws {
        try scratch.write("in.tiff.png", Images.png(40, 30))
        let run = try firn.run(["convert", "in.tiff.png", "--format", format.rawValue, "--out", "made"], in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        let name = "made/in.tiff.\(format == .jpeg ? "jpg" : format.rawValue)"
        #expect(try ImageFormat(scratch.data(name)) == format)
        #expect(run.lines.first?.hasPrefix("in.tiff.png -> \(name): 40x30") == true, "\(run.output)")
    }

    @Test(arguments: ["webp", "gif", "jxl"])
    func `An animation keeps its frames, their times and its plays`(type: String) throws {
        guard ImageEncoders.formats.contains(ImageFormat(rawValue: type)) else { return }
        try scratch.write("a.gif", animation())
        let lossless = type == "gif" ? [] : ["--lossless"]
        let run = try firn.run(["convert", "a.gif", "--out", "b.\(type)"] + lossless, in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("4 frames"))
        let info = try firn.run(["info", "--json", "b.\(type)"], in: scratch)
        #expect(info.output.contains(#""frames":4,"durationsMs":[100,150,200,250]"#), "\(info.output)")
        for frame in 0..<4 {
            let hashes = try ["a.gif", "b.\(type)"].map {
                try firn.run(["decode", "--hash", "--frame", "\(frame)", $0], in: scratch).output.prefix(64)
            }
            #expect(hashes[0] == hashes[1], "frame \(frame)")
        }
    }

    @Test func `Every frame of an animation is processed`() throws {
        try scratch.write("a.gif", animation())
        let run = try firn.run(
            ["convert", "a.gif", "--process", "rotate=90,resize=8x,rounded=3", "--out", "b.gif"], in: scratch)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("b.gif: 8x12, 4 frames"), "\(run.output)")
        let wrong = try firn.run(["convert", "a.gif", "--process", "blurr", "--out", "b.gif"], in: scratch)
        #expect(wrong.status == 2 && wrong.errors.contains("^^^^^"))
        let far = try firn.run(["convert", "a.gif", "--process", "crop=99:99:5x5", "--out", "b.gif"], in: scratch)
        #expect(far.status == 1 && far.errors.contains("nothing of the part wanted"), "\(far.errors)")
    }

    @Test func `A format without frames, and --still, get the first frame of an animation`() throws {
        try scratch.write("a.gif", animation())
        let jpeg = try firn.run(["convert", "a.gif", "--out", "b.jpg"], in: scratch)
        #expect(jpeg.output.contains("the first of 4 frames"))
        let webp = try firn.run(["convert", "a.gif", "--out", "b.webp", "--still"], in: scratch)
        #expect(webp.status == 0)
        #expect(try firn.run(["info", "--json", "b.webp"], in: scratch).output.contains(#""frames":1"#))
    }

    @Test func `Options reach the encoder`() throws {
        try scratch.write("a.png", Images.png(200, 150))
        func size(_ words: [String]) throws -> Int {
            let run = try firn.run(["convert", "a.png", "--json", "--out"] + words, in: scratch)
            #expect(run.status == 0, "\(run.errors)")
            return try scratch.data(words[0]).count
        }
        #expect(try size(["1.jpg", "--quality", "20"]) < size(["2.jpg", "--quality", "0.9"]))
        #expect(try size(["3.jpg", "--chroma", "420"]) < size(["4.jpg", "--chroma", "444"]))
        #expect(try size(["5.jpg", "--optimize"]) < size(["6.jpg"]))
        _ = try size(["7.jpg", "--progressive"])
        #expect(try firn.run(["info", "7.jpg"], in: scratch).output.contains("progressive"))
        #expect(try size(["8.gif", "--colors", "4", "--dither", "none"]) < size(["9.gif"]))
        let small = try firn.run(["convert", "a.png", "--json", "--size", "20x20", "--out", "s.webp"], in: scratch)
        #expect(small.output.contains(#""width":20,"height":15,"frames":1,"#))
    }

    @Test(arguments: [
        ["a.png"], ["a.png", "--format", "heic"], ["a.png", "--out", "b.jpg", "--format", "png"],
        ["a.png", "--format", "jpeg", "--lossless"], ["a.png", "--format", "png", "--quality", "80"],
        ["a.png", "--format", "webp", "--effort", "7"], ["a.png", "--format", "gif", "--colors", "1"],
        ["a.png", "--format", "webp", "--lossless", "--quality", "5"], ["--format", "webp"],
    ])
    func `A contradictory command is a usage error`(words: [String]) throws {
        try scratch.write("a.png", Images.png(8, 8))
        let run = try firn.run(["convert"] + words, in: scratch)
        #expect(run.status == 2 || run.status == 64, "\(run.status)")
        #expect(!run.errors.isEmpty)
        #expect(scratch.files() == ["a.png"])
    }

    @Test func `an image over itself is an error`() throws {
        try scratch.write("fine.png", Images.png(8, 8))
        let before = try scratch.data("fine.png")
        let over = try firn.run(["convert", "fine.png", "--format", "png", "--json"], in: scratch)
        #expect(over.status == 1)
        #expect(over.output.contains(#""fault":"request""#))
        #expect(try scratch.data("fine.png") == before)
    }
}
