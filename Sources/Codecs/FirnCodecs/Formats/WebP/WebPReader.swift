import CFirnCodecs

/// Reads WebP: indexes chunks as they arrive and passes libwebp the chunks of one image.
///
/// libwebp scales a still while it decodes it; frames of an animation are decoded at their stored size.
final class WebPReader: FileReader, FormatReader {
    let format = ImageFormat.webp
    private var scanner = WebPScanner()

    var decodesAreas: Bool { true }

    func scan(_ chain: inout ByteChain) throws(ImageDecodingError) {
        guard !isEndSeen else { return }
        isEndSeen = chain.isFinished
        try scanner.scan(chain, limits)
        addFrames(chain)
        if properties != nil {
            describe()
        } else if chain.isFinished || scanner.isEnded {
            throw ImageDecodingError(
                .data, scanner.isAnimated ? "holds no whole frame" : "is damaged or cut short before its pixels")
        }
    }

    private func addFrames(_ chain: ByteChain) {
        for found in scanner.frames.dropFirst(frames.count) {
            // A frame is described once its transparency is known.
            guard let image = found.image else { break }
            if frames.isEmpty {
                let canvas = scanner.canvas ?? image.size
                var described = ImageProperties(format: .webp, size: canvas)
                described.colorSpace = image.isLossless ? "rgb" : "ycbcr"
                if scanner.isAnimated {
                    described.frameDurations = []
                    order = FrameOrder(canvas: canvas)
                } else {
                    described.hasAlpha = image.hasAlpha
                }
                properties = described
            }
            append(found.stored)
        }
        for index in frames.indices.reversed() {
            if frames[index].isComplete { break }
            frames[index].isComplete = scanner.frames[index].image.map { $0.end <= chain.count } ?? false
        }
    }

    /// Adds what the scanner has found beside the pixels.
    private func describe() {
        if scanner.isAnimated { properties?.loopCount = scanner.loopCount }
        if properties?.colorProfile == nil {
            properties?.colorProfile = scanner.profile.flatMap { ColorProfile(icc: $0) }
        }
        if properties?.xmp == nil { properties?.xmp = scanner.xmp }
        guard properties?.exif == nil, let exif = scanner.exif else { return }
        let data = exif.starts(with: Array("Exif\0\0".utf8)) ? exif.dropFirst(6) : exif
        properties?.exif = data
        let directories = EXIFDirectories(data)
        properties?.orientation = directories?.orientation ?? .up
        properties?.resolution = directories?.resolution
    }

    // MARK: Pixels

    func workingBytes(for request: RowRequest) -> Int {
        guard let image = image(request.frame) else { return 0 }
        // Lossless decoding holds all pixels and the transforms; lossy decoding holds some rows and the alpha plane.
        // Compressed bytes are held twice more. Sides have 14 bits.
        let pixels = image.size.area
        let part = request.area.map {
            AreaRowSource.workingBytes(rows: $0.withMargin, request.layout, isWhole: true)
        }
        return (part ?? 0) + (256 << 10) + image.size.width * 64 + image.pixels.count * 2
            + (image.isLossless ? pixels * 4 : image.hasAlpha ? pixels * 5 : 0)
    }

    func rowSize(for request: RowRequest) -> PixelSize {
        guard let frame = frame(request.frame) else { return PixelSize(0) }
        let size = request.area?.size ?? frame.size
        // libwebp scales parts only if they begin at even pixels.
        let isScaled = request.area.map { $0.x % 2 == 0 && $0.y % 2 == 0 } ?? true
        return scanner.isAnimated || !isScaled ? size : request.least ?? size
    }

    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageDecodingError) -> (any RowSource)? {
        guard let image = image(request.frame), let frame = frame(request.frame) else { return nil }
        guard image.size == frame.size else {
            throw ImageDecodingError(
                .data, "frame \(request.frame) has \(image.size) pixels and declares \(frame.size)")
        }
        let decoder = try LibraryDecoder(FIRN_CODEC_WEBP, host, reading: image.stream, limits: limits)
        guard let output = try decoder.start(request, isOpaque: !image.hasAlpha, chain) else { return nil }
        let least = request.allowsPartial ? 0 : image.end
        return try LibraryRowSource(decoder, output, layout: request.layout, end: image.end, least: least)
            .part(output.area, limits)
    }

    private func image(_ index: Int) -> WebPImage? {
        frames.indices.contains(index) ? scanner.frames[index].image : nil
    }
}
