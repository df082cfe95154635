import FirnSync

/// The places of a track's samples, and their decoding and presentation times.
///
/// Samples are numbered in decoding order, from 0.
///
/// - Source: ISO/IEC 14496-12 §8.6.1 (times), §8.6.2 (sync samples), §8.7 (sizes, chunks).
struct SampleTable {
    /// One coded image.
    struct Sample {
        var offset: Int
        var length: Int
        /// The presentation time, in units of the media.
        var time: Int
        /// The time to the next sample in decoding order.
        var duration: Int
        /// True if the file says that decoding may start here.
        var isSync: Bool
    }

    private(set) var samples: [Sample] = []

    /// Reads the boxes in `stbl`.
    ///
    /// - Throws: ``ImageError/Fault/data`` if a table is missing or contradicts another,
    ///   ``ImageError/Fault/limit`` for more samples than frames are allowed.
    init(_ boxes: [ISOBox], of chain: ByteChain, limits: ImageLimits) throws(ImageError) {
        try readLengths(boxes, chain, limits)
        try readOffsets(boxes, chain)
        try readTimes(boxes, chain)
        readSyncSamples(boxes, chain)
        try checkSharing(chain)
    }

    private static func missing(_ what: String) -> ImageError {
        ImageError(.data, at: .decoding, "the track's table of \(what) is missing or damaged")
    }

    // MARK: Sizes

    private mutating func readLengths(
        _ boxes: [ISOBox], _ chain: ByteChain, _ limits: ImageLimits
    ) throws(ImageError) {
        var lengths: (count: Int, bits: Int, common: Int, fields: ISOFields)?
        if var fields = boxes.table("stsz", of: chain), let common = fields.number(4), let count = fields.number(4) {
            lengths = (count, 32, common, fields)
        } else if var fields = boxes.table("stz2", of: chain), let bits = fields.number(4),
            let count = fields.number(4)
        {
            lengths = (count, bits & 255, 0, fields)
        }
        guard var lengths, [4, 8, 16, 32].contains(lengths.bits) else { throw SampleTable.missing("sample sizes") }
        guard lengths.count <= limits.maximumFrames else { throw limits.tooManyFrames }
        // The second length in the byte that was read last.
        var half: Int?
        for _ in 0..<lengths.count {
            try chain.watch.step()
            var length: Int? = lengths.common
            if let second = half {
                length = second
                half = nil
            } else if lengths.common == 0 {
                length = lengths.fields.number(max(1, lengths.bits / 8))
                if lengths.bits == 4, let byte = length {
                    length = byte >> 4
                    half = byte & 15
                }
            }
            guard let length else { throw SampleTable.missing("sample sizes") }
            samples.append(Sample(offset: 0, length: length, time: 0, duration: 0, isSync: false))
        }
    }

    // MARK: Places

    /// Reads the offsets of the chunks, and which samples each holds.
    private mutating func readOffsets(_ boxes: [ISOBox], _ chain: ByteChain) throws(ImageError) {
        let isWide = boxes.first("stco") == nil
        guard var chunks = boxes.table(isWide ? "co64" : "stco", of: chain), let chunkCount = chunks.number(4),
            var runs = boxes.table("stsc", of: chain), var runsLeft = runs.number(4)
        else { throw SampleTable.missing("chunks") }
        var perChunk = 0
        var next = SampleTable.run(&runs, &runsLeft)
        var index = 0
        var chunk = 1
        while index < samples.count {
            while let run = next, run.first <= chunk {
                guard run.description == 1 else {
                    throw .unsupported("a track whose samples have several descriptions")
                }
                perChunk = run.samples
                next = SampleTable.run(&runs, &runsLeft)
            }
            guard chunk <= chunkCount, let start = chunks.number(isWide ? 8 : 4) else {
                throw SampleTable.missing("chunks")
            }
            var offset = start
            for _ in 0..<min(perChunk, samples.count - index) {
                samples[index].offset = offset
                let (end, overflow) = offset.addingReportingOverflow(samples[index].length)
                guard !overflow else { throw SampleTable.missing("chunks") }
                offset = end
                index += 1
            }
            chunk += 1
        }
    }

    /// Reads the next run of chunks with the same number of samples.
    private static func run(
        _ fields: inout ISOFields, _ left: inout Int
    ) -> (first: Int, samples: Int, description: Int)? {
        guard left > 0, let first = fields.number(4), let samples = fields.number(4), let description = fields.number(4)
        else { return nil }
        left -= 1
        return (first, samples, description)
    }

    /// The number of samples that may have the same bytes. Encoders write none; others may store equal images once.
    private static let maximumSharing = 16

    /// Checks that decoding all samples reads not much more than the file: otherwise that takes time that grows with
    /// the square of its length.
    private func checkSharing(_ chain: ByteChain) throws(ImageError) {
        var total = 0
        for sample in samples where sample.length <= chain.count && sample.offset <= chain.count - sample.length {
            total = total.saturatingAdd(sample.length)
        }
        guard total <= chain.count.saturatingMultiply(SampleTable.maximumSharing) else {
            throw .data("the samples of a track are \(total) bytes in a file of \(chain.count); they share too many")
        }
    }

    // MARK: Times

    private mutating func readTimes(_ boxes: [ISOBox], _ chain: ByteChain) throws(ImageError) {
        var time = 0
        let timed = readRuns("stts", boxes, chain) { sample, duration in
            sample.time = time
            sample.duration = duration
            time = time.saturatingAdd(duration)
        }
        guard timed == samples.count else { throw SampleTable.missing("times") }
        // The offset from decoding to presentation time, if there is one. Version 0 has unsigned numbers, but writers
        // have always stored negative ones there, too.
        readRuns("ctts", boxes, chain) { sample, shift in
            sample.time = sample.time.saturatingAdd(Int(Int32(truncatingIfNeeded: shift)))
        }
    }

    /// Passes each sample with its number in a table of runs of equal numbers to `body`.
    ///
    /// - Returns: the number of those samples; `nil` if there is no table.
    @discardableResult
    private mutating func readRuns(
        _ type: FourCharacterCode, _ boxes: [ISOBox], _ chain: ByteChain, _ body: (inout Sample, Int) -> Void
    ) -> Int? {
        guard var fields = boxes.table(type, of: chain), var left = fields.number(4) else { return nil }
        var index = 0
        while index < samples.count, left > 0, let count = fields.number(4), let number = fields.number(4) {
            left -= 1
            for _ in 0..<min(count, samples.count - index) {
                body(&samples[index], number)
                index += 1
            }
        }
        return index
    }

    private mutating func readSyncSamples(_ boxes: [ISOBox], _ chain: ByteChain) {
        guard var fields = boxes.table("stss", of: chain), var left = fields.number(4) else {
            for index in samples.indices { samples[index].isSync = true }
            return
        }
        while left > 0, let number = fields.number(4) {
            left -= 1
            if samples.indices.contains(number - 1) { samples[number - 1].isSync = true }
        }
    }
}
