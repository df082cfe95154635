import CFirnCodecs
import FirnImage
import FoundationEssentials

/// Decodes the images of one track with libde265.
///
/// Samples are fed in decoding order; images come out in presentation order, some samples later. Frames requested in
/// order need no extra work; any other frame is decoded from the nearest random access point before it.
///
/// Invariant: `given` has the samples whose images have come out since the decoder began at `first`; samples
/// `first..<next` have been fed.
///
/// Safety: owns its C object, which one thread at a time uses.
final class HEVCTrackDecoder {
    /// The parameters that every image of the track must match.
    let parameters: HEVCParameters
    private let samples: [SampleTable.Sample]
    private let configuration: HEVCConfiguration
    private var handle: OpaquePointer?
    private var first = 0
    private var next = 0
    private var given: Set<Int> = []
    /// The sample whose image is available.
    private var current: Int?
    /// The sample that the decoder is working toward.
    private var sought: Int?

    init(_ samples: [SampleTable.Sample], _ configuration: HEVCConfiguration, _ parameters: HEVCParameters) {
        self.samples = samples
        self.configuration = configuration
        self.parameters = parameters
    }

    deinit { firn_hevc_close(handle) }

    /// The bytes that the decoder holds: the kept images, each with libde265's data about its blocks, one image that is
    /// being filtered, and one that is ready.
    var workingBytes: Int {
        // Sides have at most 17 bits.
        let area = parameters.codedSize.area
        let samples = [2, 3, 4, 6][parameters.chromaFormat] * area / 2
        let image = samples * (max(parameters.lumaBits, parameters.chromaBits) > 8 ? 2 : 1) + area * 5 / 4
        return image * (parameters.keptImages + 2) + (2 << 20)
    }

    /// Does a bounded amount of work toward a sample's image.
    ///
    /// - Returns: whether the image is available.
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
            // Order: the next call starts anew.
            close()
            throw error
        }
    }

    /// Returns the planes of a sample's image; `nil` if ``advance(to:_:)`` has moved on since.
    func planes(of sample: Int) -> firn_planes? {
        guard current == sample else { return nil }
        var planes = firn_planes()
        var number: Int64 = 0
        return firn_hevc_image(handle, &planes, &number) ? planes : nil
    }

    /// Returns the sample of the image that is ready.
    private func image() -> Int? {
        var planes = firn_planes()
        var number: Int64 = 0
        return firn_hevc_image(handle, &planes, &number) ? Int(clamping: number) : nil
    }

    private var message: String { handle.map { String(cString: firn_hevc_message($0)) } ?? "no memory for a decoder" }

    // MARK: Where decoding begins

    /// Prepares the decoder for a sample's image, from its current place or a better one.
    private func begin(_ sample: Int, _ chain: ByteChain) throws(ImageDecodingError) {
        if let current {
            // Order: drops the current image before requesting another.
            if current != sample { firn_hevc_drop(handle) }
            self.current = nil
        }
        if sought == sample { return }
        let start = start(for: sample, chain)
        sought = sample
        // Order: does not wait for images that a decoder which started later would have skipped.
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

    /// Returns the last sample from which decoding covers everything that `sample` refers to.
    private func start(for sample: Int, _ chain: ByteChain) -> Int {
        var start = sample
        while start > 0 {
            // An image shown before a random access point may refer to images before that point.
            if samples[start].isSync, samples[start].time <= samples[sample].time, isRandomAccess(start, chain) {
                break
            }
            start -= 1
        }
        return start
    }

    /// Whether a sample really is a random access point, as the table of sync samples says.
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

    /// Feeds a unit, unless decoding does not need it.
    private func push(_ unit: [UInt8], sample: Int) throws(ImageDecodingError) {
        guard let byte = unit.first else { return }
        switch HEVCUnit(first: byte) {
        case .other: return
        case .slice, .control: break
        case .sequenceParameters:
            // The memory estimate and the header assume images like the first one.
            guard let found = HEVCParameters(unit: unit), found.isLike(parameters) else {
                throw ImageDecodingError(.unsupported, "the images of a sequence change their size or kind")
            }
        }
        let status = unit.withUnsafeBufferPointer { firn_hevc_push(handle, $0.baseAddress, $0.count, Int64(sample)) }
        guard status == FIRN_OK else { throw ImageDecodingError(ImageDecodingError.fault(status), message) }
    }
}
