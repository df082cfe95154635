import CFirnCodecs
import FirnSync

/// Decodes the images of one track with libde265, in this process or in a worker.
///
/// Samples are fed in decoding order; images come out in presentation order, some samples later. Frames requested in
/// order need no extra work; any other frame is decoded from the nearest random access point before it.
///
/// Invariant: `emitted` has the samples whose images have come out since the decoder began at `first`; samples
/// `first..<next` have been fed.
final class HEVCTrackDecoder {
    /// The parameters that every image of the track must match.
    let parameters: HEVCParameters
    /// The frames of the track, in presentation order.
    let frames: [SequenceTimeline.Frame]
    private let samples: [SampleTable.Sample]
    /// The number of first samples, in decoding order, that the file holds.
    private let held: Int
    private let configuration: HEVCConfiguration
    private let host: DecoderHost
    private let limits: ImageLimits
    /// True if decoding may start at a sample, for those examined so far.
    private var randomAccess: [Int: Bool] = [:]
    private var stream: (any HEVCStream)?
    private var first = 0
    private var next = 0
    private var emitted: Set<Int> = []
    /// The sample whose image is available.
    private var current: Int?
    /// The sample that the decoder is working toward.
    private var target: Int?

    /// - Throws: ``ImageError`` if the track is damaged, or larger than `limits`.
    init(
        _ track: ISOTrack, _ movie: ISOMovie, _ chain: ByteChain, _ limits: ImageLimits, _ host: DecoderHost
    ) throws(ImageError) {
        guard let configuration = track.configuration else { throw .data("a track says nothing of its coding") }
        let samples = try SampleTable(track.table, of: chain, limits: limits).samples
        guard
            let parameters = configuration.parameters
                ?? HEVCTrackDecoder.parameters(in: samples, configuration, chain)
        else { throw .data("the track's parameter sets are missing or damaged") }
        try limits.check(parameters.codedSize)
        frames = try SequenceTimeline(samples, track.edits, (track.timescale, movie.timescale), limits, chain.watch)
            .frames
        self.samples = samples
        held = samples.firstIndex { $0.offset.saturatingAdd($0.length) > chain.count } ?? samples.count
        self.configuration = configuration
        self.parameters = parameters
        self.host = host
        self.limits = limits
    }

    /// Returns the parameters in the first sample (`hev1`).
    private static func parameters(
        in samples: [SampleTable.Sample], _ configuration: HEVCConfiguration, _ chain: ByteChain
    ) -> HEVCParameters? {
        guard let sample = samples.first, let bytes = chain.bytes(at: sample.offset, count: sample.length) else {
            return nil
        }
        var fields = ISOFields([UInt8](bytes), chain.watch)
        while let length = fields.number(configuration.lengthBytes) {
            if let byte = fields.next, length > 0, HEVCUnit(first: byte) == .sequenceParameters {
                return fields.take(length).flatMap { HEVCParameters(unit: $0) }
            }
            guard fields.pass(length) != nil else { return nil }
        }
        return nil
    }

    /// Returns whether the file holds a sample and all that it may refer to.
    func holds(_ sample: Int) -> Bool { (0..<held).contains(sample) }

    /// Does a bounded amount of work toward a sample's image.
    ///
    /// - Returns: whether the image is available.
    func advance(to sample: Int, _ chain: ByteChain) throws(ImageError) -> Bool {
        if current == sample { return true }
        do throws(ImageError) {
            let stream = try begin(sample, chain)
            if let found = stream.image()?.sample {
                emitted.insert(found)
                if found == sample {
                    current = found
                    target = nil
                    return true
                }
                stream.drop()
                return false
            }
            switch try stream.step(toward: sample) {
            case .more: break
            case .needsBytes: try feed(stream, chain)
            case .end: throw .data("the image of sample \(sample) is missing in the stream")
            }
            return false
        } catch {
            // Order: the next call starts over.
            close()
            throw error
        }
    }

    /// Returns the planes of a sample's image; `nil` if ``advance(to:_:)`` has moved on since.
    func planes(of sample: Int) -> firn_planes? {
        current == sample ? stream?.image()?.planes : nil
    }

    // MARK: Where decoding begins

    /// Returns a decoder that is on its way to a sample's image: the current one, or one that starts at a better place.
    private func begin(_ sample: Int, _ chain: ByteChain) throws(ImageError) -> any HEVCStream {
        if let current {
            // Order: drops the current image before requesting another.
            if current != sample { stream?.drop() }
            self.current = nil
        }
        if target == sample, let stream { return stream }
        let start = try start(for: sample, chain)
        target = sample
        // Order: does not wait for images that a decoder which started later would have skipped.
        if let stream, start >= first, start <= next, !emitted.contains(sample) { return stream }
        close()
        target = sample
        let stream = try host.open(parameters, limits, chain)
        self.stream = stream
        first = start
        next = start
        for unit in configuration.units { try push(unit, sample: start, stream) }
        return stream
    }

    private func close() {
        stream = nil
        emitted = []
        current = nil
        target = nil
    }

    /// Returns the last sample from which decoding covers everything that `sample` refers to.
    private func start(for sample: Int, _ chain: ByteChain) throws(ImageError) -> Int {
        var start = sample
        while start > 0 {
            try chain.watch.step()
            // An image shown before a random access point may refer to images before that point.
            if samples[start].isSync, samples[start].time <= samples[sample].time, isRandomAccess(start, chain) {
                break
            }
            start -= 1
        }
        return start
    }

    /// The most units of a sample before its first slice: parameter sets and messages. Decoding never starts at a
    /// sample with more.
    private static let maximumUnitsBeforeSlice = 64

    /// Returns whether a sample really is a random access point, as the table of sync samples says. Caches the result.
    private func isRandomAccess(_ sample: Int, _ chain: ByteChain) -> Bool {
        if let known = randomAccess[sample] { return known }
        let found = beginsWithRandomAccess(samples[sample], chain)
        randomAccess[sample] = found
        return found
    }

    private func beginsWithRandomAccess(_ sample: SampleTable.Sample, _ chain: ByteChain) -> Bool {
        var offset = sample.offset
        let end = offset.saturatingAdd(sample.length)
        for _ in 0..<HEVCTrackDecoder.maximumUnitsBeforeSlice {
            guard offset < end, let length = chain.big(offset, configuration.lengthBytes),
                let byte = chain.byte(at: offset + configuration.lengthBytes)
            else { return false }
            if case .slice(let isRandomAccess) = HEVCUnit(first: byte) { return isRandomAccess }
            guard length <= end - offset else { return false }
            offset += configuration.lengthBytes + length
        }
        return false
    }

    // MARK: Feeding

    private func feed(_ stream: any HEVCStream, _ chain: ByteChain) throws(ImageError) {
        // A truncated stream ends with its last whole sample, so that the images before it come out.
        guard next < held || (next < samples.count && target.map { $0 >= next } == true) else {
            stream.end()
            return
        }
        let sample = samples[next]
        guard let bytes = chain.bytes(at: sample.offset, count: sample.length) else {
            throw .data("the data is cut short: sample \(next) is not there")
        }
        var fields = ISOFields([UInt8](bytes), chain.watch)
        while fields.rest > configuration.lengthBytes, let length = fields.number(configuration.lengthBytes) {
            // Units that decoding does not need are not copied.
            if let byte = fields.next, HEVCUnit(first: byte) == .other, fields.pass(length) != nil { continue }
            guard let unit = fields.take(length) else {
                throw .data("a unit of sample \(next) is longer than the sample")
            }
            try push(unit, sample: next, stream)
        }
        next += 1
    }

    /// Feeds a unit, unless decoding does not need it.
    private func push(_ unit: [UInt8], sample: Int, _ stream: any HEVCStream) throws(ImageError) {
        guard let byte = unit.first else { return }
        switch HEVCUnit(first: byte) {
        case .other: return
        case .slice, .control: break
        case .sequenceParameters:
            // The memory estimate and the header assume images like the first one.
            guard let found = HEVCParameters(unit: unit), found.isLike(parameters) else {
                throw .unsupported("the images of a sequence change their size or kind")
            }
        }
        try stream.push(unit, sample: sample)
    }
}

/// The kinds of NAL units that the reader distinguishes.
///
/// - Source: ITU-T H.265 table 7-1.
enum HEVCUnit: Equatable {
    /// A part of an image; decoding may start at a random access point.
    case slice(isRandomAccess: Bool)
    case sequenceParameters
    /// A video or image parameter set, or the end of a stream.
    case control
    /// Units that decoding does not need: messages, delimiters, filler.
    case other

    /// Returns the kind that the first byte of a unit states.
    init(first byte: UInt8) {
        switch byte >> 1 & 63 {
        case let type where type < 32: self = .slice(isRandomAccess: (16...21).contains(type))
        case 33: self = .sequenceParameters
        case 32, 34, 36, 37: self = .control
        default: self = .other
        }
    }
}
