import FirnImage
import FoundationEssentials

/// What became of an input.
struct Outcome {
    /// Most frames that are decoded.
    private static let frames = 8

    enum Picture: Equatable {
        case pixels(PixelSize, UInt64)
        case fault(DecodingError.Fault)
    }

    /// What the file says of itself; `nil` if the session had failed.
    private var header: String?
    /// The first frames.
    private var pictures: [Picture] = []

    /// All bytes at once.
    static func whole(_ input: FuzzInput, _ decoder: any ImageDecoding) -> Outcome {
        let session = decoder.makeSession(limits: FuzzInput.limits, cancellation: CancellationFlag())
        try? session.append(input.file)
        session.finish()
        return Outcome(session, input)
    }

    /// In pieces, with everything asked that may be asked between them.
    static func inPieces(_ input: FuzzInput, _ decoder: any ImageDecoding) -> Outcome {
        let session = decoder.makeSession(limits: FuzzInput.limits, cancellation: CancellationFlag())
        var rest = input.file
        for length in input.pieceLengths + [input.file.count] where !rest.isEmpty {
            try? session.append(Data(rest.prefix(length)))
            rest = rest.dropFirst(length)
            _ = try? session.properties()
            _ = try? session.frames()
            _ = session.workingBytes(for: input.options)
            _ = try? session.advance(input.options)
            if input.wantsPreviews { _ = try? session.preview(input.options) }
        }
        session.finish()
        return Outcome(session, input)
    }

    /// Frames as far as they go. What they show may differ with the pieces; here nothing but the end counts.
    static func partial(_ input: FuzzInput, _ decoder: any ImageDecoding) {
        let session = decoder.makeSession(limits: FuzzInput.limits, cancellation: CancellationFlag())
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
        var count = 0
        do throws(DecodingError) {
            let properties = try session.properties()
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
            do throws(DecodingError) {
                let bitmap = try session.decode(options)
                pictures.append(.pixels(bitmap.size, Outcome.hash(bitmap)))
            } catch {
                pictures.append(.fault(error.fault))
            }
        }
    }

    /// How this outcome, of all bytes at once, differs from that of pieces, if it does.
    func difference(from other: Outcome) -> String? {
        // A session that decoded ahead fails earlier, and then says no more of the header; its frames have to fail the same.
        if let header, let second = other.header, header != second { return "\"\(header)\" against \"\(second)\"" }
        for (frame, (one, two)) in zip(pictures, other.pictures).enumerated() where !Outcome.agree(one, two) {
            return "frame \(frame): \(one) against \(two)"
        }
        return nil
    }

    /// Whether a frame is the same decoded whole and in pieces, in so far as it has to be.
    private static func agree(_ whole: Picture, _ split: Picture) -> Bool {
        switch (whole, split) {
        // A picture may be complete in pieces before damage behind its last pixel comes.
        case (.fault(.data), .pixels): true
        // Whether a frame can be made smaller while it is decoded depends on whether others are known by then.
        case (.pixels(let size, _), .pixels(let other, _)) where size != other: true
        default: whole == split
        }
    }

    /// FNV-1a over the pixels, without what pads rows, by words of 8 bytes where there are such.
    private static func hash(_ bitmap: Bitmap) -> UInt64 {
        let rowBytes = bitmap.size.width * bitmap.format.bytesPerPixel
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        bitmap.withUnsafeBytes { bytes in
            for y in 0..<bitmap.size.height {
                let row = UnsafeRawBufferPointer(
                    rebasing: bytes[y * bitmap.bytesPerRow..<y * bitmap.bytesPerRow + rowBytes])
                var at = 0
                while at + 8 <= row.count {
                    hash = (hash ^ row.loadUnaligned(fromByteOffset: at, as: UInt64.self)) &* 0x100_0000_01B3
                    at += 8
                }
                while at < row.count {
                    hash = (hash ^ UInt64(row[at])) &* 0x100_0000_01B3
                    at += 1
                }
            }
        }
        return hash
    }
}
