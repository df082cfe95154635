import CFirnCodecs
import FirnImage
import FoundationEssentials

/// The images of one track, decoded by libde265.
///
/// Samples are fed in the order of decoding, and images come in the order of presentation, some samples later. Whoever
/// goes through the frames in order gets each with no more work than its own; another one is decoded from the nearest
/// random access point before it.
///
/// Invariant: `given` has the samples whose images have come since the decoder began at `first`; samples
/// `first..<next` have been fed.
///
/// Safety: owns its C object, which one thread at a time uses.
final class HEVCTrackDecoder {
    /// What every image of the track has to be like.
    let parameters: HEVCParameters
    private let samples: [SampleTable.Sample]
    private let configuration: HEVCConfiguration
    private var handle: OpaquePointer?
    private var first = 0
    private var next = 0
    private var given: Set<Int> = []
    /// The sample whose image can be looked at.
    private var current: Int?
    /// The sample that the decoder is on its way to.
    private var sought: Int?

    init(_ samples: [SampleTable.Sample], _ configuration: HEVCConfiguration, _ parameters: HEVCParameters) {
        self.samples = samples
        self.configuration = configuration
        self.parameters = parameters
    }

    deinit { firn_hevc_close(handle) }

    /// Bytes that the decoder holds: the images that are kept, each with what libde265 notes of its blocks, one that is
    /// being filtered, and one that waits.
    var workingBytes: Int {
        // Sides have at most 17 bits.
        let area = parameters.codedSize.area
        let samples = [2, 3, 4, 6][parameters.chromaFormat] * area / 2
        let image = samples * (max(parameters.lumaBits, parameters.chromaBits) > 8 ? 2 : 1) + area * 5 / 4
        return image * (parameters.keptImages + 2) + (2 << 20)
    }

    /// Decodes a bounded bit on the way to a sample's image.
    ///
    /// - Returns: whether it can be looked at.
    func advance(to sample: Int, _ chain: ByteChain) throws(ImageDecodingError) -> Bool {
        if current == sample { return true }
        do throws(ImageDecodingError) {
            try begin(sample, chain)
            if let found = image() {
                given.insert(found)
                if found == sample {
                    current = found
                    sought = nil
                    return true
                }
                firn_hevc_drop(handle)
                return false
            }
            switch firn_hevc_step(handle) {
            case FIRN_OK: return false
            case FIRN_NEED_DATA: try feed(chain)
            case FIRN_END: throw ImageDecodingError(.data, "the image of sample \(sample) is missing in the stream")
            case let status: throw ImageDecodingError(ImageDecodingError.fault(status), message)
            }
            return false
        } catch {
            // Order: what comes next begins anew.
            close()
            throw error
        }
    }

    /// The planes of a sample's image; `nil` if ``advance(to:_:)`` has gone on since.
    func planes(of sample: Int) -> firn_planes? {
        guard current == sample else { return nil }
        var planes = firn_planes()
        var number: Int64 = 0
        return firn_hevc_image(handle, &planes, &number) ? planes : nil
    }

    /// The sample of the image that waits.
    private func image() -> Int? {
        var planes = firn_planes()
        var number: Int64 = 0
        return firn_hevc_image(handle, &planes, &number) ? Int(clamping: number) : nil
    }

    private var message: String { handle.map { String(cString: firn_hevc_message($0)) } ?? "no memory for a decoder" }

    // MARK: Where decoding begins

    /// Makes the decoder ready to go on to a sample's image, from where it is or from a better place.
    private func begin(_ sample: Int, _ chain: ByteChain) throws(ImageDecodingError) {
        if let current {
            // Order: the image that was looked at goes before another is asked for.
            if current != sample { firn_hevc_drop(handle) }
            self.current = nil
        }
        if sought == sample { return }
        let start = start(for: sample, chain)
        sought = sample
        // Order: images that a decoder which began later would have left out are not waited for.
        if handle != nil, start >= first, start <= next, !given.contains(sample) { return }
        close()
        sought = sample
        guard let handle = firn_hevc_open() else { throw ImageDecodingError(.limit, "no memory for a decoder") }
        self.handle = handle
        first = start
        next = start
        for unit in configuration.units { try push(unit, sample: start) }
    }

    private func close() {
        firn_hevc_close(handle)
        handle = nil
        given = []
        current = nil
        sought = nil
    }

    /// The last sample from which on all that a sample refers to is decoded.
    private func start(for sample: Int, _ chain: ByteChain) -> Int {
        var start = sample
        while start > 0 {
            // An image that is shown before a random access point may refer to images before that.
            if samples[start].isSync, samples[start].time <= samples[sample].time, isRandomAccess(start, chain) {
                break
            }
            start -= 1
        }
        return start
    }

    /// Whether a sample's image is what the table of sync samples says.
    private func isRandomAccess(_ sample: Int, _ chain: ByteChain) -> Bool {
        var offset = samples[sample].offset
        let (end, overflow) = offset.addingReportingOverflow(samples[sample].length)
        guard !overflow else { return false }
        while offset < end, let length = chain.big(offset, configuration.lengthBytes),
            let byte = chain.byte(at: offset + configuration.lengthBytes)
        {
            if case .slice(let isRandomAccess) = HEVCUnit(first: byte) { return isRandomAccess }
            guard length <= end - offset else { return false }
            offset += configuration.lengthBytes + length
        }
        return false
    }

    // MARK: Feeding

    private func feed(_ chain: ByteChain) throws(ImageDecodingError) {
        guard next < samples.count else {
            firn_hevc_end(handle)
            return
        }
        let sample = samples[next]
        guard let bytes = chain.bytes(at: sample.offset, count: sample.length) else {
            throw ImageDecodingError(.data, "the data is cut short: sample \(next) is not there")
        }
        var fields = ISOFields([UInt8](bytes))
        while fields.rest > configuration.lengthBytes, let length = fields.number(configuration.lengthBytes) {
            guard let unit = fields.take(length) else {
                throw ImageDecodingError(.data, "a unit of sample \(next) is longer than the sample")
            }
            try push(unit, sample: next)
        }
        next += 1
    }

    /// Hands over a unit, unless decoding does without it.
    private func push(_ unit: [UInt8], sample: Int) throws(ImageDecodingError) {
        guard let byte = unit.first else { return }
        switch HEVCUnit(first: byte) {
        case .other: return
        case .slice, .control: break
        case .sequenceParameters:
            // Memory was counted, and the header told, for images like the first.
            guard let found = HEVCParameters(unit: unit), found.isLike(parameters) else {
                throw ImageDecodingError(.unsupported, "the images of a sequence change their size or kind")
            }
        }
        let status = unit.withUnsafeBufferPointer { firn_hevc_push(handle, $0.baseAddress, $0.count, Int64(sample)) }
        guard status == FIRN_OK else { throw ImageDecodingError(ImageDecodingError.fault(status), message) }
    }
}
