import FirnCodecs
import FirnImage
import FoundationEssentials

/// The result of decoding an input.
struct Outcome {
    /// The largest number of frames to decode.
    private static let frames = 8

    enum Image: Equatable {
        /// Size, a hash of all bytes, and their mean.
        case pixels(PixelSize, hash: UInt64, mean: Double)
        case fault(ImageError.Fault)
    }

    /// The properties in the header; `nil` if the session had failed.
    private var header: String?
    private let options: DecodingOptions
    /// The first frames.
    private var images: [Image] = []

    /// Decodes all bytes at once.
    static func whole(_ input: FuzzInput, _ decoder: any ImageDecoding) -> Outcome {
        let session = decoder.makeSession(limits: input.limits, cancellation: CancellationFlag())
        try? session.append(input.file)
        session.finish()
        return Outcome(session, input)
    }

    /// Decodes in pieces, and calls everything between them that callers may call.
    static func inPieces(_ input: FuzzInput, _ decoder: any ImageDecoding) -> Outcome {
        let session = decoder.makeSession(limits: input.limits, cancellation: CancellationFlag())
        var rest = input.file
        // A preview costs as much as an image, and there are up to 128 pieces.
        var previewedPixels = 0
        for length in input.pieceLengths + [input.file.count] where !rest.isEmpty {
            try? session.append(Data(rest.prefix(length)))
            rest = rest.dropFirst(length)
            _ = try? session.properties()
            _ = try? session.frames()
            _ = session.workingBytes(for: input.options)
            _ = try? session.advance(input.options)
            if input.wantsPreviews, previewedPixels < 1 << 18 {
                let preview = try? session.preview(input.options)
                previewedPixels += preview?.size.area ?? 0
            }
        }
        session.finish()
        return Outcome(session, input)
    }

    /// Decodes an incomplete file. The images may depend on the pieces; it only matters that the calls return.
    static func partial(_ input: FuzzInput, _ decoder: any ImageDecoding) {
        let session = decoder.makeSession(limits: input.limits, cancellation: CancellationFlag())
        try? session.append(input.file.prefix(input.file.count / 2))
        var options = input.options
        options.allowsPartial = true
        _ = try? session.preview(options)
        try? session.append(input.file.dropFirst(input.file.count / 2).dropLast(3))
        _ = try? session.decode(options)
        session.finish()
        _ = try? session.decode(options)
    }

    private init(_ session: any ImageDecodingSession, _ input: FuzzInput) {
        options = input.options
        var count = 0
        do throws(ImageError) {
            let properties = try session.properties()
            // Not compared: this only has to return.
            _ = properties?.metadata.taken
            if properties?.hasGainMap == true { _ = try? session.gainMap() }
            count = try session.frames().count
            let said =
                properties.map { "\($0.format) \($0.size) \($0.orientation) \(count) \($0.hasAlpha)" } ?? "nothing"
            header = said + " \(String(describing: properties?.frameDurations?.prefix(Outcome.frames)))"
        } catch {
            header = nil
        }
        for frame in 0..<max(1, min(count, Outcome.frames)) {
            var options = input.options
            options.frame = frame
            do throws(ImageError) {
                let bitmap = try session.decode(options)
                let (hash, mean) = Outcome.summary(of: bitmap)
                images.append(.pixels(bitmap.size, hash: hash, mean: mean))
            } catch {
                images.append(.fault(error.fault))
            }
        }
    }

    /// Returns how this outcome, of all bytes at once, differs from that of pieces; `nil` if it does not.
    func difference(from other: Outcome) -> String? {
        // A session that decoded ahead fails earlier and then has no more header; its frames must fail in the same way.
        if let header, let second = other.header, header != second { return "\"\(header)\" against \"\(second)\"" }
        for (frame, (one, two)) in zip(images, other.images).enumerated() where !agree(one, two) {
            return "frame \(frame): \(one) against \(two)"
        }
        return nil
    }

    /// Returns whether a frame is the same decoded whole and in pieces, as far as required.
    private func agree(_ whole: Image, _ split: Image) -> Bool {
        switch (whole, split) {
        // For damaged codes, libjpeg's output depends on where its input ended at that moment, and libde265's output,
        // with or without libheif, differs from run to run. Neither reports an error.
        case (.pixels(let size, _, _), .pixels(let other, _, _))
        where ["jpeg", "jpegreduced", "heic", "heics"].contains(FuzzDecoder.format.rawValue):
            return size == other
        // An image may be complete in pieces before damage after its last pixel arrives.
        case (.fault(.data), .pixels): return true
        // True if pixels without alpha are possible is certain only at an animation's end.
        case (.fault(.unsupported), _) where options.pixelFormat == .rgb8: return true
        default: return whole == split
        }
    }

    /// Returns FNV-1a of the pixels without row padding, and the mean of their bytes; colors are weighted by alpha.
    private static func summary(of bitmap: Bitmap) -> (hash: UInt64, mean: Double) {
        let pixelBytes = bitmap.format.bytesPerPixel
        let isStraight = bitmap.format == .rgba8Straight
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var sum = 0
        bitmap.withUnsafeBytes { bytes in
            for y in 0..<bitmap.size.height {
                for x in 0..<bitmap.size.width {
                    let at = y * bitmap.bytesPerRow + x * pixelBytes
                    let alpha = isStraight ? Int(bytes[at + 3]) : 255
                    if isStraight { sum += alpha }
                    for byte in at..<at + (isStraight ? 3 : pixelBytes) {
                        sum += Int(bytes[byte]) * alpha / 255
                        hash = (hash ^ UInt64(alpha == 0 ? 0 : bytes[byte])) &* 0x100_0000_01B3
                    }
                    if isStraight { hash = (hash ^ UInt64(alpha)) &* 0x100_0000_01B3 }
                }
            }
        }
        return (hash, Double(sum) / Double(max(1, bitmap.size.area * pixelBytes)))
    }
}
