import FirnImage
import FoundationEssentials
import FirnSystem
import Synchronization

/// A decoder of the test's own bodies. It decodes while bytes arrive, makes previews, and checks that every byte
/// arrived.
struct StressDecoder: ImageDecoding {
    let counts: Counts

    func recognizes(_ head: Data) -> ImageFormat? {
        head.starts(with: Data("firn-stress ".utf8)) ? ImageFormat(rawValue: "stress") : nil
    }

    func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        Session(counts: counts, cancellation: cancellation)
    }

    private final class Session: ImageDecodingSession {
        let counts: Counts
        let cancellation: CancellationFlag
        var head = Data()
        var length = 0
        var isOver = false
        var shown = 0

        init(counts: Counts, cancellation: CancellationFlag) {
            self.counts = counts
            self.cancellation = cancellation
            counts.sessions.add(1, ordering: .relaxed)
        }

        deinit { counts.sessions.subtract(1, ordering: .relaxed) }

        func append(_ data: Data) {
            if head.count < Body.headLength { head.append(data.prefix(Body.headLength - head.count)) }
            length += data.count
        }

        func finish() { isOver = true }

        private var words: [Substring]? {
            guard head.count >= Body.headLength else { return nil }
            return String(decoding: head, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        }

        func properties() throws(ImageError) -> ImageProperties? {
            guard let words else {
                if isOver { throw ImageError(.data, at: .decoding, "the head is not whole") }
                return nil
            }
            guard words.count >= 5, let width = Int(words[1]), let height = Int(words[2]) else {
                throw ImageError(.data, at: .decoding, "the head is damaged")
            }
            return ImageProperties(
                format: ImageFormat(rawValue: "stress"), size: PixelSize(width: width, height: height))
        }

        func workingBytes(for options: DecodingOptions) -> Int {
            ((try? properties())?.map { $0.size.area * 4 } ?? 0) + 2 << 20
        }

        private var expected: Int { words.flatMap { $0.count > 3 ? Int($0[3]) : nil } ?? .max }

        func advance(_ options: DecodingOptions) throws(ImageError) -> Bool { length >= expected }

        func preview(_ options: DecodingOptions) throws(ImageError) -> Bitmap? {
            guard length > shown, words != nil else { return nil }
            shown = length
            counts.previews.add(1, ordering: .relaxed)
            return try image(options, 0x40)
        }

        func decode(_ options: DecodingOptions) throws(ImageError) -> Bitmap {
            if cancellation.isCancelled { throw ImageError(.cancelled, at: .decoding, "cancelled") }
            guard length >= expected else {
                throw ImageError(isOver ? .data : .incomplete, at: .decoding, "bytes are missing")
            }
            if length != expected { counts.fault("\(length) bytes of \(expected) reached the decoder") }
            if words?[4] == "damaged" { throw ImageError(.data, at: .decoding, "damaged, as asked for") }
            return try image(options, 0x80)
        }

        private func image(_ options: DecodingOptions, _ value: Int32) throws(ImageError) -> Bitmap {
            let size = try properties()?.size ?? PixelSize(width: 1, height: 1)
            let target = options.targetSize?.resolved(for: size) ?? size
            do {
                return try Bitmap(size: target, format: options.pixelFormat, isOpaque: true) { pixels in
                    for y in 0..<target.height {
                        memset(pixels.row(y), value, target.width * options.pixelFormat.bytesPerPixel)
                    }
                }
            } catch {
                throw ImageError(.limit, at: .decoding, "\(error)")
            }
        }
    }
}
