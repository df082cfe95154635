import CFirnCodecs
import FoundationEssentials

extension firn_worker_header {
    /// The most bytes of EXIF data or of an XMP packet; more than real files have.
    private static let maximumMetadata = 64 << 20

    /// Returns the header if it is within the limits; `nil` if only a broken worker can have sent it.
    func checked(_ limits: ImageLimits) -> firn_worker_header? {
        let (pixels, overflow) = UInt64(width).multipliedReportingOverflow(by: UInt64(height))
        guard width > 0, height > 0, !overflow, frames > 0,
            isVector ? isPossibleVector : pixels <= UInt64(clamping: limits.maximumPixels),
            Int(frames) <= max(1, limits.maximumFrames),
            durations_length == 0 || durations_length == UInt64(frames) * 4,
            icc_length <= UInt64(clamping: limits.maximumProfileBytes),
            exif_length <= UInt64(clamping: firn_worker_header.maximumMetadata),
            xmp_length <= UInt64(clamping: firn_worker_header.maximumMetadata)
        else { return nil }
        return self
    }

    private var isVector: Bool { vector_width != 0 || vector_height != 0 }

    /// True if the whole sides of a drawing are the exact ones, rounded. Its pixels are limited when it is rendered.
    private var isPossibleVector: Bool {
        func isRounded(_ exact: Double, _ side: UInt32) -> Bool {
            exact > 0 && Int(side) <= VectorSize.longestSide && abs(exact - Double(side)) <= 1
        }
        return isRounded(vector_width, width) && isRounded(vector_height, height)
    }

    /// The bytes of all blobs; below 2^31 in a checked header.
    var blobLength: Int {
        Int(clamping: durations_length) + Int(clamping: icc_length) + Int(clamping: exif_length)
            + Int(clamping: xmp_length)
    }

    /// Calls `take` with the header as the C interface has it, whose pointers are valid during the call.
    ///
    /// - Parameter blobs: ``blobLength`` bytes.
    func pass(_ blobs: [UInt8], to take: (firn_header) -> Void) {
        let durations = (0..<Int(clamping: durations_length) / 4).map { index in
            blobs.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self) }
        }
        durations.withUnsafeBufferPointer { durations in
            blobs.withUnsafeBufferPointer { bytes in
                var start = Int(clamping: durations_length)
                func next(_ length: UInt64) -> UnsafePointer<UInt8>? {
                    defer { start += Int(clamping: length) }
                    return length == 0 ? nil : bytes.baseAddress.map { $0 + start }
                }
                take(
                    firn_header(
                        width: width, height: height, orientation: orientation, bit_depth: bit_depth,
                        space: firn_space(rawValue: space), alpha: alpha != 0, progressive: progressive != 0,
                        animated: animated != 0, frames: frames,
                        durations: durations.isEmpty ? nil : durations.baseAddress, loops: loops,
                        icc: next(icc_length), icc_length: Int(clamping: icc_length), working_bytes: working_bytes,
                        exif: next(exif_length), exif_length: Int(clamping: exif_length), xmp: next(xmp_length),
                        xmp_length: Int(clamping: xmp_length), color: firn_color(color),
                        pixels_per_metre_x: pixels_per_metre_x, pixels_per_metre_y: pixels_per_metre_y,
                        vector_width: vector_width, vector_height: vector_height, surfaces: surfaces))
            }
        }
    }
}

extension firn_color {
    /// Converts the color interpretation of a worker's header.
    init(_ color: firn_worker_color) {
        self.init(
            primaries: color.primaries, transfer: color.transfer, gamma: color.gamma,
            has_chromaticities: color.has_chromaticities != 0, chromaticities: color.chromaticities)
    }
}

extension CrashMemory.Source {
    /// The most bytes by which a file is identified, beside its length.
    private static let digested = 1 << 20

    /// Identifies a complete file of a codec's format; `nil` if it has changed since it was opened, because no worker
    /// may have got the bytes that it has now.
    init?(_ file: ByteChain, _ codec: firn_codec) {
        guard file.isUnchanged else { return nil }
        // Without the watch, because the call may have ended.
        let file = file.unwatched
        // Randomly seeded in each process, so that no file can be built to collide.
        var hash = Hasher()
        file.forEachPiece(in: 0..<CrashMemory.Source.digested) { piece, _ in
            piece.withUnsafeBytes { hash.combine(bytes: $0) }
        }
        self.init(format: FormatLibraries.format(of: codec), length: file.count, digest: String(hash.finalize()))
    }
}
