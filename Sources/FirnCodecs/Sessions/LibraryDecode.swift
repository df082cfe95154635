import CFirnCodecs
import FirnImage

/// One decode of one frame: rows from the library, colours to sRGB, alpha multiplied in, and the picture turned.
struct LibraryDecode {
    /// Rows decoded between two looks at the cancellation flag. Some rows of any width stay in the processor's cache.
    private static let rowsAtOnce: UInt32 = 64

    let header: LibraryHeader
    let options: DecodingOptions
    let limits: DecodingLimits
    let cancellation: CancellationFlag

    /// Decodes with a decoder that has read the header.
    func run(_ decoder: LibraryDecoder, input: LibraryInput) throws(DecodingError) -> Bitmap {
        let layout = pixelLayout
        let profile = options.appliesColorProfile ? header.properties.colorProfile : nil
        let plan = ColorPlan(profile: profile, space: header.space, layout: layout)
        let output = try start(decoder, input, layout: plan.decodedLayout ?? layout)
        let size = PixelSize(width: Int(output.width), height: Int(output.height))
        try checkBytes(size)
        do {
            let bitmap = try Bitmap(size: size, format: options.pixelFormat, isOpaque: !header.properties.hasAlpha) {
                pixels in
                if case .inks(let transform) = plan {
                    try readInks(decoder, input, into: &pixels, through: transform)
                } else if output.whole {
                    try readWhole(decoder, input, into: &pixels, plan)
                } else {
                    try readRows(decoder, input, into: &pixels, plan)
                }
            }
            return try options.appliesOrientation ? bitmap.oriented(header.properties.orientation) : bitmap
        } catch let error as DecodingError {
            throw error
        } catch {
            throw DecodingError(.limit, "\(error)")
        }
    }

    private var pixelLayout: firn_layout {
        switch options.pixelFormat {
        case .bgra8Premultiplied: FIRN_LAYOUT_BGRA
        case .rgba8Straight: FIRN_LAYOUT_RGBA
        case .rgb8: FIRN_LAYOUT_RGB
        }
    }

    private func start(
        _ decoder: LibraryDecoder, _ input: LibraryInput, layout: firn_layout
    ) throws(DecodingError) -> firn_output {
        let wanted = header.wantedSize(options)
        var choice = firn_options(
            layout: layout, width: UInt32(clamping: wanted?.width ?? 0), height: UInt32(clamping: wanted?.height ?? 0),
            frame: 0)
        var output = firn_output()
        // Order: what the result needs is judged first where it does not depend on the library's choice of a scale.
        if wanted == nil { try checkBytes(header.properties.size) }
        try check(decoder.run(input) { firn_decoder_start($0, &choice, &output) }, decoder)
        return output
    }

    private func checkBytes(_ size: PixelSize) throws(DecodingError) {
        let row = (try? Bitmap.bytesPerRow(width: size.width, format: options.pixelFormat)) ?? Int.max
        let (bytes, overflow) = row.multipliedReportingOverflow(by: size.height)
        guard !overflow, bytes <= limits.maximumDecodedBytes else {
            throw DecodingError(
                .limit,
                "needs \(overflow ? "uncountable" : "\(bytes)") bytes for \(size) pixels; "
                    + "the limit is \(limits.maximumDecodedBytes)")
        }
    }

    private func check(_ status: firn_status, _ decoder: LibraryDecoder) throws(DecodingError) {
        switch status {
        case FIRN_OK, FIRN_END: return
        case FIRN_NEED_DATA: throw DecodingError(.data, "the data is cut short")
        default: throw DecodingError(DecodingError.fault(status), decoder.message)
        }
    }

    /// One call for rows; says how many it made, and whether they were the last.
    private func read(
        _ decoder: LibraryDecoder, _ input: LibraryInput, _ base: UnsafeMutableRawPointer, bytesPerRow: Int, rows: Int
    ) throws(DecodingError) -> (done: Int, isLast: Bool) {
        if cancellation.isCancelled { throw DecodingError(.cancelled, "cancelled") }
        let bytes = base.assumingMemoryBound(to: UInt8.self)
        let count = UInt32(clamping: rows)
        var done: UInt32 = 0
        let status = decoder.run(input) { firn_decoder_read($0, bytes, bytesPerRow, count, &done) }
        try check(status, decoder)
        return (Int(done), status == FIRN_END)
    }

    /// Rows come in order, some at a time, and are finished while they are in the cache.
    private func readRows(
        _ decoder: LibraryDecoder, _ input: LibraryInput, into pixels: inout MutablePixels, _ plan: ColorPlan
    ) throws(DecodingError) {
        var finisher = RowFinisher(plan: plan, hasAlpha: header.properties.hasAlpha)
        var next = 0
        while next < pixels.size.height {
            let rows = min(Int(LibraryDecode.rowsAtOnce), pixels.size.height - next)
            let (done, isLast) = try read(
                decoder, input, pixels.row(next), bytesPerRow: pixels.bytesPerRow, rows: rows)
            finisher.finish(&pixels, rows: next..<next + done)
            next += done
            if isLast { break }
        }
        pixels.isOpaque = finisher.isOpaque
    }

    /// The library writes where it likes; rows are finished once it says that they are complete.
    private func readWhole(
        _ decoder: LibraryDecoder, _ input: LibraryInput, into pixels: inout MutablePixels, _ plan: ColorPlan
    ) throws(DecodingError) {
        var finisher = RowFinisher(plan: plan, hasAlpha: header.properties.hasAlpha)
        var finished = 0
        while true {
            let (done, isLast) = try read(
                decoder, input, pixels.base, bytesPerRow: pixels.bytesPerRow, rows: pixels.size.height)
            finisher.finish(&pixels, rows: finished..<max(finished, done))
            finished = max(finished, done)
            if isLast { break }
        }
        pixels.isOpaque = finisher.isOpaque
    }

    /// Rows of inks go through memory of their own.
    private func readInks(
        _ decoder: LibraryDecoder, _ input: LibraryInput, into pixels: inout MutablePixels,
        through transform: ColorTransform
    ) throws(DecodingError) {
        let width = pixels.size.width
        var inks = [UInt8](repeating: 0, count: width * 4 * Int(LibraryDecode.rowsAtOnce))
        var next = 0
        while next < pixels.size.height {
            let rows = min(Int(LibraryDecode.rowsAtOnce), pixels.size.height - next)
            let target = PixelBlock(pixels, rows: next..<next + rows)
            let result = inks.withUnsafeMutableBytes {
                bytes -> Result<(done: Int, isLast: Bool), DecodingError> in
                guard let base = bytes.baseAddress else { return .success((0, true)) }
                do throws(DecodingError) {
                    let result = try read(decoder, input, base, bytesPerRow: width * 4, rows: rows)
                    var block = target
                    block.rows = UInt32(clamping: result.done)
                    transform.apply(inks: base.assumingMemoryBound(to: UInt8.self), to: block)
                    return .success(result)
                } catch {
                    return .failure(error)
                }
            }
            let (done, isLast) = try result.get()
            next += done
            if isLast { break }
        }
        pixels.isOpaque = true
    }
}
