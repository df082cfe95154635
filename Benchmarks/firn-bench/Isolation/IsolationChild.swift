import Firn
import FoundationEssentials
import FirnSystem
import FirnSync

/// Decodes images under one isolation, in a process of its own.
enum IsolationChild {
    /// The decodes of a tiny image that are measured together.
    static let rounds = 2000

    /// Reads from standard input how to isolate (`none`, `complex` or `all`), the side of thumbnails, and paths.
    ///
    /// Prints the milliseconds until the first image is decoded, the mean milliseconds of ``rounds`` further decodes of
    /// a tiny JPEG, and the KiB of the zygotes' own memory. Without paths only the tiny image is decoded, and then a
    /// drawing, whose zygote has loaded the fonts.
    static func run() throws {
        switch readLine() {
        case "all": DecoderIsolation.standard = .all
        case "complex": DecoderIsolation.standard = .complexFormats
        default: DecoderIsolation.standard = .none
        }
        let side = readLine().flatMap { Int($0) } ?? 256
        let start = Stopwatch.wallNow
        var first: Double?
        while let path = readLine() {
            try decode(LocalFileSystem().open(path), side: side)
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
            try decode(Data(IsolationBenchmark.drawing.utf8), side: side)
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
        options.targetSize = TargetSize(side)
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

    /// Returns the memory of the zygotes, the only children of this process, that is no file's; 0 if there are none.
    ///
    /// Their workers share this memory, so what is private to a zygote alone would be too little.
    private static func zygoteKilobytes() -> Int {
        let own = "/proc/\(getpid())/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: own)) ?? []
        // A child belongs to the thread that started it.
        let zygotes = threads.flatMap { thread in
            text("\(own)/\(thread)/children").split(whereSeparator: \.isWhitespace)
        }
        return zygotes.map { zygote in
            let lines = text("/proc/\(zygote)/smaps_rollup").split(separator: "\n")
            return lines.first { $0.hasPrefix("Anonymous:") }
                .flatMap { $0.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } } ?? 0
        }.reduce(0, +)
    }

    /// Reads a file of `/proc`, which has no size of its own.
    private static func text(_ path: String) -> String {
        guard let file = fopen(path, "re") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
