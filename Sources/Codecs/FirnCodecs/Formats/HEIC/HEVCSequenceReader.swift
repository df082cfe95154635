import CFirnCodecs
import FirnSync

/// Reads the frames of an image sequence whose bytes have all arrived.
final class HEVCSequenceReader: FileReader, FormatReader {
    let format = ImageFormat.heic
    private let timeline: ArraySlice<SequenceTimeline.Frame>
    private let color: HEVCTrackDecoder
    private let alpha: HEVCTrackDecoder?
    /// The sample of the alpha track for each frame.
    private let alphaSamples: [Int]
    private let matrix: firn_matrix
    private let isPremultiplied: Bool

    /// - Throws: ``ImageDecodingError`` if the tracks are damaged, larger than `limits`, or coded in an unsupported
    ///   way.
    init(
        _ movie: ISOMovie, _ chain: ByteChain, limits: ImageLimits, host: DecoderHost
    ) throws(ImageDecodingError) {
        let color = try HEVCTrackDecoder(movie.shown, movie, chain, limits, host)
        let alpha = try movie.alpha.map { track throws(ImageDecodingError) in
            try HEVCTrackDecoder(track, movie, chain, limits, host)
        }
        let size = color.parameters.size
        // Frames beyond the limit are dropped, as in any animation. Both sides have at most 17 bits.
        let timeline = color.frames.prefix(max(1, limits.maximumAnimationPixels / max(1, size.area)))
        guard !timeline.isEmpty else { throw ImageDecodingError(.data, "its track holds no image") }
        // The container's code points take precedence over the stream's.
        let points = movie.shown.colors.codePoints ?? color.parameters.codePoints
        self.timeline = timeline
        self.color = color
        self.alpha = alpha
        alphaSamples = alpha.map { timeline.matched(with: $0.frames) } ?? []
        isPremultiplied = movie.isPremultiplied
        matrix = firn_matrix(
            matrix: UInt16(clamping: points.matrix), primaries: UInt16(clamping: points.primaries),
            is_full_range: points.isFullRange)
        super.init(limits: limits, host: host)

        var properties = ImageProperties(format: .heic, size: size)
        properties.orientation = movie.shown.orientation
        properties.frameCount = timeline.count
        properties.frameDurations = timeline.map { .milliseconds($0.duration) }
        properties.loopCount = movie.shown.repetitions
        properties.hasAlpha = alpha != nil
        properties.bitDepth = color.parameters.lumaBits
        properties.colorSpace = color.parameters.chromaFormat == 0 ? "gray" : points.matrix == 0 ? "rgb" : "ycbcr"
        properties.colorProfile = movie.shown.colors.profile.flatMap { ColorProfile(icc: $0) }
        properties.colorDescription = ColorDescription(primaries: points.primaries, transfer: points.transfer)
        self.properties = properties
        frames = timeline.indices.map { index in
            StoredFrame(
                size: size, duration: timeline[index].duration, hasAlpha: properties.hasAlpha,
                isComplete: color.holds(timeline[index].sample)
                    && transparency(index).map { $0.decoder.holds($0.sample) } ?? true)
        }
    }

    /// Returns the decoder and the sample of a frame's transparency, if it has any.
    private func transparency(_ index: Int) -> (decoder: HEVCTrackDecoder, sample: Int)? {
        guard let alpha, alphaSamples.indices.contains(index) else { return nil }
        return (alpha, alphaSamples[index])
    }

    func scan(_ chain: inout ByteChain) throws(ImageDecodingError) {}

    func workingBytes(for request: RowRequest) -> Int {
        color.parameters.workingBytes.saturatingAdd(alpha?.parameters.workingBytes ?? 0)
    }

    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageDecodingError) -> (any RowSource)? {
        guard timeline.indices.contains(request.frame) else { return nil }
        guard request.layout != .cmyk8, request.layout != .rgbaHalf else {
            throw ImageDecodingError(.unsupported, "is not stored in the samples asked for")
        }
        return rows(request.frame, request.layout)
    }

    private func rows(_ index: Int, _ layout: SampleLayout) -> HEVCRowSource {
        HEVCRowSource(
            color, sample: timeline[index].sample, alpha: transparency(index), matrix: matrix,
            divides: isPremultiplied, layout: layout)
    }

    /// Decodes the first frame, which is not decoded again when it is opened next. Does nothing if that takes more
    /// memory than allowed.
    ///
    /// - Throws: ``ImageDecodingError`` if it cannot be decoded.
    func decodeFirst(_ chain: ByteChain) throws(ImageDecodingError) {
        guard workingBytes(for: RowRequest(layout: .bgra8)) <= limits.maximumWorkingBytes else { return }
        let rows = rows(0, .bgra8)
        while try !rows.isReady(chain) { try chain.watch.check() }
    }
}

extension ArraySlice<SequenceTimeline.Frame> {
    /// Returns, for each frame, the sample of `other` that is shown when the frame begins.
    fileprivate func matched(with other: [SequenceTimeline.Frame]) -> [Int] {
        guard let first = other.first else { return [] }
        if other.count == count { return other.map(\.sample) }
        var samples: [Int] = []
        var (time, end, index) = (0, first.duration, 0)
        for frame in self {
            while index + 1 < other.count, end <= time {
                index += 1
                end = end.saturatingAdd(other[index].duration)
            }
            samples.append(other[index].sample)
            time = time.saturatingAdd(frame.duration)
        }
        return samples
    }
}

extension ISOTrack {
    /// The number of times that the sequence is played: 0 without end, `nil` if the file states none.
    fileprivate var repetitions: Int? {
        guard let edits else { return nil }
        guard edits.repeats else { return 1 }
        guard let duration else { return 0 }
        guard let once = edits.duration, once > 0 else { return 1 }
        return Swift.max(1, (duration / once).saturatingAdd(duration % once == 0 ? 0 : 1))
    }
}
