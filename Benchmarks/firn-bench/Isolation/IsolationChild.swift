import Firn
import FoundationEssentials
import FirnSystem

/// Decodes images under one isolation, in a process of its own.
enum IsolationChild {
    /// The decodes of a tiny image that are measured together.
    static let rounds = 2000

    /// Reads from standard input how to isolate (`none` or `all`), the side of thumbnails, and paths.
    ///
    /// Prints the milliseconds until the first image is decoded, the mean milliseconds of ``rounds`` further decodes of
    /// a tiny JPEG, and the KiB of the zygote's own memory. Without paths only the tiny image is decoded.
    static func run() throws {
        DecoderIsolation.standard = readLine() == "all" ? .all : .none
        let side = readLine().flatMap { Int($0) } ?? 256
        let start = Stopwatch.wallNow
        var first: Double?
        while let path = readLine() {
            try decode(FileByteSource(LocalFileSystem().open(path)), side: side)
            first = first ?? Stopwatch.wallNow - start
        }
        var round = 0.0
        var memory = 0
        if first == nil {
            let tiny = try tinyImage()
            try decode(tiny, side: side)
            let start = Stopwatch.wallNow
            for _ in 0..<rounds { try decode(tiny, side: side) }
            round = (Stopwatch.wallNow - start) / Double(rounds)
            memory = zygoteKilobytes()
        }
        print((first ?? 0) * 1000, round * 1000, memory)
    }

    private static func decode(_ source: some ByteSource, side: Int) throws {
        let decoder = ImageDecoder()
        try decoder.append(contentsOf: source)
        try decode(decoder, side: side)
    }

    private static func decode(_ data: Data, side: Int) throws {
        let decoder = ImageDecoder()
        try decoder.append(data)
        try decode(decoder, side: side)
    }

    private static func decode(_ decoder: ImageDecoder, side: Int) throws {
        decoder.finish()
        var options = DecodingOptions()
        options.targetSize = TargetSize(PixelSize(width: side, height: side))
        _ = try decoder.frame(at: 0, options: options).image()
    }

    private static func tinyImage() throws -> Data {
        let size = PixelSize(width: 8, height: 8)
        let image = try Bitmap(size: size, format: .rgb8) { pixels in
            for y in 0..<size.height {
                pixels.row(y).initializeMemory(as: UInt8.self, repeating: UInt8(y * 30), count: size.width * 3)
            }
        }
        guard let encoder = ImageEncoders.encoder(for: .jpeg) else { return Data() }
        return try encoder.encode(image)
    }

    /// Returns the memory of the zygote, the only child of this process, that is no file's; 0 if there is none.
    ///
    /// Its workers share this memory, so what is private to it alone would be too little.
    private static func zygoteKilobytes() -> Int {
        let own = "/proc/\(getpid())/task/\(getpid())/children"
        guard let children = try? String(contentsOfFile: own, encoding: .utf8),
            let zygote = children.split(separator: " ").first,
            let pages = try? String(contentsOfFile: "/proc/\(zygote)/smaps_rollup", encoding: .utf8)
        else { return 0 }
        return pages.split(separator: "\n").filter { $0.hasPrefix("Anonymous:") }.compactMap { line in
            line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
        }.reduce(0, +)
    }
}
