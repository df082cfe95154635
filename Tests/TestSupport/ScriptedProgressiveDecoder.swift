package import FirnImage
package import FirnTesting
package import FoundationEssentials

/// A decoder of synthetic images that decodes while their bytes arrive: it makes previews, may need only the first part
/// of a file, and detects every byte that is not in the file.
///
/// An image's bytes are those of ``image(_:bytes:needed:)``. Previews are gray, and brighter with more bytes;
/// the image is white.
package final class ScriptedProgressiveDecoder: ImageDecoding {
    /// The limits of opened sessions.
    package let sessions = Recorder<ImageLimits>()
    /// Bytes received at each call of `advance`.
    package let advances = Recorder<Int>()
    /// Bytes received at each preview.
    package let previews = Recorder<Int>()
    /// Bytes received at each decoded image.
    package let decodes = Recorder<Int>()

    package init() {}

    /// Bytes that this decoder takes for an image of `size` pixels.
    ///
    /// - Parameters:
    ///   - count: length of the file.
    ///   - needed: how many of its first bytes the image needs; all by default.
    package static func image(_ size: PixelSize, bytes count: Int, needed: Int? = nil) -> Data {
        let line = "firn-progressive \(size.width) \(size.height) \(count) \(needed ?? count)"
        var data = Data(line.utf8)
        data.append(contentsOf: repeatElement(UInt8(ascii: " "), count: max(0, headLength - 1 - data.count)))
        data.append(UInt8(ascii: "\n"))
        data.reserveCapacity(count)
        while data.count < count { data.append(byte(at: data.count)) }
        return data
    }

    private static let headLength = 64

    private static func byte(at place: Int) -> UInt8 { UInt8(truncatingIfNeeded: place &* 31 ^ place >> 8) }

    /// Recognizes the bytes of `image`.
    package func recognizes(_ head: Data) -> ImageFormat? {
        head.starts(with: Data("firn-progressive ".utf8)) ? ImageFormat(rawValue: "progressive") : nil
    }

    package func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        sessions.add(limits)
        return Session(self)
    }

    private final class Session: ImageDecodingSession {
        struct Head {
            let size: PixelSize
            let bytes: Int
            let needed: Int
        }

        let decoder: ScriptedProgressiveDecoder
        var start = Data()
        var count = 0
        var shown = 0
        var head: Head?
        var error: ImageError?

        init(_ decoder: ScriptedProgressiveDecoder) { self.decoder = decoder }

        func append(_ data: Data) throws(ImageError) {
            for byte in data {
                if count < headLength {
                    start.append(byte)
                } else if byte != ScriptedProgressiveDecoder.byte(at: count) {
                    error = error ?? ImageError(.data, at: .decoding, "byte \(count) is of another file")
                }
                count += 1
            }
            if let error { throw error }
        }

        func finish() {}

        func properties() throws(ImageError) -> ImageProperties? {
            guard let head = try read() else { return nil }
            return ImageProperties(format: ImageFormat(rawValue: "progressive"), size: head.size)
        }

        private func read() throws(ImageError) -> Head? {
            if let error { throw error }
            if let head { return head }
            guard count >= headLength else { return nil }
            let numbers = String(decoding: start, as: UTF8.self).split { $0 == " " || $0 == "\n" }
                .compactMap { Int($0) }
            guard numbers.count == 4 else { throw ImageError(.data, at: .decoding, "a damaged test image") }
            head = Head(
                size: PixelSize(width: numbers[0], height: numbers[1]), bytes: numbers[2], needed: numbers[3])
            return head
        }

        func workingBytes(for options: DecodingOptions) -> Int { head.map { $0.size.area * 4 } ?? 0 }

        func advance(_ options: DecodingOptions) throws(ImageError) -> Bool {
            decoder.advances.add(count)
            return try read().map { count >= $0.needed } ?? false
        }

        func preview(_ options: DecodingOptions) throws(ImageError) -> Bitmap? {
            guard let head = try read(), count > shown else { return nil }
            shown = count
            decoder.previews.add(count)
            return try Bitmap.flat(UInt8(clamping: 254 * count / max(1, head.bytes)), head.size, options)
        }

        func decode(_ options: DecodingOptions) throws(ImageError) -> Bitmap {
            guard let head = try read() else { throw ImageError(.incomplete, at: .decoding, "no head yet") }
            guard count >= head.needed else { throw ImageError(.data, at: .decoding, "cut short after \(count) bytes") }
            decoder.decodes.add(count)
            return try Bitmap.flat(255, head.size, options)
        }
    }
}
