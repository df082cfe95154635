import CFirnCodecs
import FirnSync

/// Reads the frames of an image sequence whose bytes have all arrived.
final class HEVCSequenceReader: FileReader, FormatReader {
    let format = ImageFormat.heic
    fileprivate let timeline: ArraySlice<SequenceTimeline.Frame>
    fileprivate let color: HEVCTrackDecoder
    private let alpha: HEVCTrackDecoder?
    /// The sample of the alpha track for each frame.
    private let alphaSamples: [Int]
    fileprivate let matrix: firn_matrix
    fileprivate let isPremultiplied: Bool

    /// - Throws: ``ImageError`` if the tracks are damaged, larger than `limits`, or coded in an unsupported
    ///   way.
    init(
        _ movie: ISOMovie, _ chain: ByteChain, limits: ImageLimits, host: DecoderHost
    ) throws(ImageError) {
        let color = try HEVCTrackDecoder(movie.shown, movie, chain, limits, host)
        let alpha = try movie.alpha.map { track throws(ImageError) in
            try HEVCTrackDecoder(track, movie, chain, limits, host)
        }
        let size = color.parameters.size
        // Frames beyond the limit are dropped, as in any animation. Both sides have at most 17 bits.
        let timeline = color.frames.prefix(max(1, limits.maximumAnimationPixels / max(1, size.area)))
        guard !timeline.isEmpty else { throw .data("its track holds no image") }
        // The container's code points take precedence over the stream's.
        let light = movie.shown.light ?? color.parameters.light
        self.timeline = timeline
        self.color = color
        self.alpha = alpha
        alphaSamples = alpha.map { timeline.matched(with: $0.frames) } ?? []
        isPremultiplied = movie.isPremultiplied
        matrix = firn_matrix(
            matrix: UInt16(clamping: light.matrix ?? 2), primaries: UInt16(clamping: light.primaries ?? 2),
            is_full_range: light.isFullRange ?? false)
        super.init(limits: limits, host: host)

        var properties = ImageProperties(format: .heic, size: size)
        properties.orientation = movie.shown.orientation
        properties.frameCount = timeline.count
        properties.frameDurations = timeline.map { .milliseconds($0.duration) }
        properties.loopCount = movie.shown.repetitions
        properties.hasAlpha = alpha != nil
        properties.bitDepth = color.parameters.lumaBits
        properties.colorSpace = color.parameters.chromaFormat == 0 ? "gray" : light.matrix == 0 ? "rgb" : "ycbcr"
        properties.colorProfile = movie.shown.profile.flatMap { ColorProfile(icc: $0) }
        properties.light = light
        properties.colorDescription = ColorDescription(
            primaries: light.primaries ?? 2, transfer: light.transfer ?? 2)
        self.properties = properties
        frames = timeline.indices.map { index in
            StoredFrame(
                size: size, duration: timeline[index].duration, hasAlpha: properties.hasAlpha,
                isComplete: color.holds(timeline[index].sample)
                    && transparency(index).map { $0.decoder.holds($0.sample) } ?? true)
        }
    }

    /// Returns the decoder and the sample of a frame's transparency, if it has any.
    fileprivate func transparency(_ index: Int) -> (decoder: HEVCTrackDecoder, sample: Int)? {
        guard let alpha, alphaSamples.indices.contains(index) else { return nil }
        return (alpha, alphaSamples[index])
    }

    func scan(_ chain: inout ByteChain) throws(ImageError) {}

    func workingBytes(for request: RowRequest) -> Int {
        color.parameters.workingBytes.saturatingAdd(alpha?.parameters.workingBytes ?? 0)
    }

    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageError) -> (any RowSource)? {
        guard timeline.indices.contains(request.frame) else { return nil }
        guard request.layout != .cmyk8, request.layout != .rgbaHalf else {
            throw .unsupported("is not stored in the samples asked for")
        }
        return HEVCRowSource(self, frame: request.frame, layout: request.layout)
    }

    /// Decodes the first frame, which is not decoded again when it is opened next. Does nothing if that takes more
    /// memory than allowed.
    ///
    /// - Throws: ``ImageError`` if it cannot be decoded.
    func decodeFirst(_ chain: ByteChain) throws(ImageError) {
        guard workingBytes(for: RowRequest(layout: .bgra8)) <= limits.maximumWorkingBytes else { return }
        let rows = HEVCRowSource(self, frame: 0, layout: .bgra8)
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

/// The rows of one image of a sequence, with its transparency.
///
/// Images are decoded one unit at a time, so that a decode can be stopped. Rows are then computed directly from the
/// decoder's planes, which are never copied as a whole.
final class HEVCRowSource: RowSource {
    let layout: SampleLayout
    private let reader: HEVCSequenceReader
    private let sample: Int
    private let alpha: (decoder: HEVCTrackDecoder, sample: Int)?
    private var nextRow = 0

    init(_ reader: HEVCSequenceReader, frame: Int, layout: SampleLayout) {
        self.reader = reader
        self.layout = layout
        sample = reader.timeline[frame].sample
        alpha = reader.transparency(frame)
    }

    var size: PixelSize { reader.color.parameters.size }

    /// Does a bounded amount of work toward the image.
    ///
    /// - Returns: whether its rows can be read.
    func isReady(_ chain: ByteChain) throws(ImageError) -> Bool {
        guard try reader.color.advance(to: sample, chain) else { return false }
        if let alpha, try !alpha.decoder.advance(to: alpha.sample, chain) { return false }
        _ = try checkedPlanes()
        return true
    }

    func read(_ chain: ByteChain, into memory: RowMemory) throws(ImageError) -> RowProgress {
        guard try isReady(chain) else { return RowProgress(rows: 0, state: .more) }
        var planes = try checkedPlanes()
        let count = min(memory.rows, size.height - nextRow)
        firn_planes_rows(
            &planes, layout.library, UInt32(clamping: nextRow), UInt32(clamping: count),
            memory.base.assumingMemoryBound(to: UInt8.self), memory.bytesPerRow)
        nextRow += count
        return RowProgress(rows: count, state: nextRow == size.height ? .end : .more)
    }

    /// Returns the planes of both images; throws unless they match each other and the announced size.
    private func checkedPlanes() throws(ImageError) -> firn_planes {
        guard var planes = reader.color.planes(of: sample), Int(planes.planes.0.width) == size.width,
            Int(planes.planes.0.height) == size.height
        else { throw .data("a frame has another size than declared") }
        if let alpha {
            guard let transparency = alpha.decoder.planes(of: alpha.sample) else {
                throw .data("a frame has no transparency where it is declared")
            }
            planes.alpha = transparency.planes.0
        }
        planes.matrix = reader.matrix
        planes.divides = reader.isPremultiplied
        guard firn_planes_valid(&planes) else {
            throw .unsupported("the samples of a frame, or their matrix \(planes.matrix.matrix), are of no known kind")
        }
        return planes
    }
}
