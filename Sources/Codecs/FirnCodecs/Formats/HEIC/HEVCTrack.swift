import FirnImage

/// A track before decoding: its image parameters, the timing of its frames, and its decoder.
struct HEVCTrack {
    let parameters: HEVCParameters
    let frames: [SequenceTimeline.Frame]
    let decoder: HEVCTrackDecoder

    init(
        _ track: ISOTrack, _ movie: ISOMovie, _ chain: ByteChain, _ limits: ImageLimits, _ host: DecoderHost
    ) throws(ImageDecodingError) {
        guard let configuration = track.configuration else {
            throw ImageDecodingError(.data, "a track says nothing of its coding")
        }
        let samples = try SampleTable(track.table, of: chain, limits: limits).samples
        guard let parameters = configuration.parameters ?? HEVCTrack.parameters(in: samples, configuration, chain)
        else {
            throw ImageDecodingError(.data, "the track's parameter sets are missing or damaged")
        }
        try limits.check(parameters.codedSize)
        frames = try SequenceTimeline(
            samples, track.edits, SequenceTimeline.Scales(media: track.timescale, movie: movie.timescale),
            most: limits.maximumFrames, chain.watch
        ).frames
        decoder = HEVCTrackDecoder(samples, configuration, parameters, host: host, limits: limits)
        self.parameters = parameters
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
}
