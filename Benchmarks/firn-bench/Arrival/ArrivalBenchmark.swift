import Firn
import FirnFigures
import FoundationEssentials
import FirnSystem

/// Measures the time from the last byte to the image if decoding starts during the download, and the bytes that a
/// thumbnail needs.
///
/// A photograph of 12 megapixels arrives at 20 Mbit/s; each piece is appended to the session.
struct ArrivalBenchmark {
    let rounds: Int
    private static let size = PixelSize(width: 4_000, height: 3_000)
    private static let bytesPerSecond = 20_000_000.0 / 8
    /// The size of the pieces that a transfer delivers.
    private static let pieceBytes = 16 << 10

    func run() -> [Figure] {
        guard let image = try? ArrivalBenchmark.image() else { return [] }
        var figures: [Figure] = []
        // For a progressive file, the output of all pixels still remains when the last byte arrives.
        for (name, isProgressive) in [("baseline", false), ("progressive", true)] {
            guard let file = try? JPEGEncoder(quality: 0.85, progressive: isProgressive).encode(image) else {
                continue
            }
            figures += lastByte("arrival.\(name)", file, FormatDecoder.jpeg, rounds: rounds)
            if isProgressive { figures += thumbnail("arrival.thumbnail", file) }
        }
        if let file = try? PNGEncoder().encode(image) {
            // The download takes ten seconds.
            figures += lastByte("arrival.png", file, FormatDecoder.png, rounds: min(rounds, 3))
        }
        return figures
    }

    /// Measures milliseconds from the last byte to the image, compared with a decode that starts at that moment.
    private func lastByte(
        _ name: String, _ file: Data, _ decoder: some ImageDecoding, rounds: Int
    ) -> [Figure] {
        var arrived: [Double] = []
        var whole: [Double] = []
        // Both run in every round, so that a slow moment affects both.
        for _ in 0..<rounds {
            guard let first = arrive(file, decoder), let second = decodeWhole(file, decoder) else {
                print("\(name): the image cannot be decoded")
                return []
            }
            arrived.append(first)
            whole.append(second)
        }
        let mine = arrived.median
        let other = whole.median
        return [Figure(name: name, value: mine, unit: "ms", peer: "whole decode", peerValue: other)]
    }

    private func arrive(_ file: Data, _ decoder: some ImageDecoding) -> Double? {
        let session = open(decoder)
        let start = Stopwatch.wallNow
        do {
            for offset in stride(from: 0, to: file.count, by: ArrivalBenchmark.pieceBytes) {
                let piece = file[offset..<min(offset + ArrivalBenchmark.pieceBytes, file.count)]
                wait(until: start + Double(piece.endIndex) / ArrivalBenchmark.bytesPerSecond)
                let now = Stopwatch.wallNow
                try session.append(piece)
                if piece.endIndex < file.count {
                    _ = try session.advance(DecodingOptions())
                    continue
                }
                session.finish()
                _ = try session.decode(DecodingOptions())
                return (Stopwatch.wallNow - now) * 1000
            }
        } catch {
            print("arrival: \(error)")
        }
        return nil
    }

    private func decodeWhole(_ file: Data, _ decoder: some ImageDecoding) -> Double? {
        let session = open(decoder)
        let start = Stopwatch.wallNow
        do {
            try session.append(file)
            session.finish()
            _ = try session.decode(DecodingOptions())
        } catch {
            print("arrival: \(error)")
            return nil
        }
        return (Stopwatch.wallNow - start) * 1000
    }

    /// Measures how many KiB of the file a thumbnail of 256 pixels needs.
    private func thumbnail(_ name: String, _ file: Data) -> [Figure] {
        var options = DecodingOptions()
        options.targetSize = TargetSize(256)
        let session = open(FormatDecoder.jpeg)
        for offset in stride(from: 0, to: file.count, by: ArrivalBenchmark.pieceBytes) {
            do {
                try session.append(file[offset..<min(offset + ArrivalBenchmark.pieceBytes, file.count)])
                guard try session.advance(options) else { continue }
            } catch {
                print("arrival: \(error)")
                return []
            }
            let value = Double(session.bytesNeeded ?? file.count) / 1024
            let all = Double(file.count) / 1024
            return [Figure(name: name, value: value, unit: "KiB", peer: "the whole file", peerValue: all)]
        }
        return []
    }

    private func open(_ decoder: some ImageDecoding) -> any ImageDecodingSession {
        decoder.makeSession(limits: ImageLimits(), cancellation: CancellationFlag())
    }

    private func wait(until time: Double) {
        let rest = time - Stopwatch.wallNow
        if rest > 0 { usleep(UInt32(rest * 1e6)) }
    }

    /// Draws waves of brightness and color, with as much grain as gives a file the size of a photograph's.
    private static func image() throws -> Bitmap {
        try Bitmap(size: size, format: .rgb8) { pixels in
            var state: UInt32 = 1
            for y in 0..<size.height {
                let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
                for x in 0..<size.width {
                    state = state &* 1_664_525 &+ 1_013_904_223
                    let grain = Int(state >> 27)
                    row[3 * x] = UInt8((x * 3 + y) / 16 % 200 + grain)
                    row[3 * x + 1] = UInt8((x + y * 2) / 16 % 200 + grain)
                    row[3 * x + 2] = UInt8((x + y) / 32 % 200 + grain)
                }
            }
        }
    }
}
