/// Decodes a sequential JPEG at an eighth or a quarter, as its bytes arrive.
///
/// Supports Huffman-coded files of 8 bits with 1 or 3 components in one scan (SOF0, SOF1). At an eighth, the pixels are
/// those of the library.
///
/// - Source: ISO/IEC 10918-1 annex F; §B.2 for the segments.
struct BaselineDecoder: JPEGRowDecoder {
    static let hasPreviewsOfLibrary = false

    private let frame: JPEGFrame
    /// The samples of a block, across and down: 1 or 2.
    private let parts: Int
    private let size: PixelSize
    private let isRGB: Bool
    private let sharing: BaselineSharing
    private var walk = JPEGMarkerWalk()
    private var tables = JPEGTables()
    private var scan: BaselineScan?
    /// The stripes of `scan`, if several threads decode it.
    private var shared: SharedScan?
    /// Room for a row of each component.
    private var rooms: [[UInt8]]
    private(set) var bytesNeeded: Int?
    /// Gets the places in a scan without restart markers.
    private let index: CodedIndexBuilder?

    init(
        _ frame: JPEGFrame, parts: Int, isRGB: Bool, sharing: BaselineSharing, making index: CodedIndexBuilder? = nil
    ) {
        self.index = index
        self.frame = frame
        self.parts = parts
        size = frame.size(parts: parts)
        self.isRGB = isRGB
        self.sharing = sharing
        rooms = frame.components.map { [size] _ in [UInt8](repeating: 0, count: size.width + 1) }
    }

    var rows: Int {
        guard let scan else { return 0 }
        return min(scan.walk.rows * frame.maximumVertical * parts, size.height)
    }

    /// Decodes until a row of MCUs is complete, as far as the received bytes allow.
    mutating func advance(_ chain: ByteChain) -> JPEGOutcome {
        while scan == nil {
            switch walk.next(in: chain) {
            case .needsBytes: return .needsBytes
            case .damaged: return .damaged
            case .marker(let code, let content):
                let isScan = code == JPEGMarker.startOfScan
                guard isScan ? beginScan([UInt8](content), chain) : tables.take(code, content) else { return .damaged }
            }
        }
        if let outcome = shared?.advance() {
            guard outcome == .end else { return outcome }
            scan?.walk.moveToEnd(at: shared?.position ?? 0)
            shared = nil
        }
        let outcome = scan?.advance(chain) ?? .damaged
        guard outcome == .end, let end = scan?.walk.position else { return outcome }
        // The library handles anything else after the scan.
        guard chain.byte(at: end + 1) == JPEGMarker.endOfImage else { return .damaged }
        bytesNeeded = end + 2
        return .end
    }

    mutating func write(_ y: Int, to target: UnsafeMutableRawPointer, _ layout: SampleLayout) {
        guard let planes = scan?.planes, y < rows else { return }
        for (index, plane) in planes.enumerated() where plane.across > 1 {
            BaselineDecoder.spread(plane, y, parts: parts, width: size.width, into: &rooms[index])
        }
        let isColor = planes.count == 3
        let (isYCbCr, width, rooms) = (isColor && !isRGB, size.width, rooms)
        // Calls `body` with the samples of a component for each pixel of the row. Captures values, as a capture of
        // this decoder would copy it.
        @inline(__always)
        func withSamples(_ component: Int, _ body: (Span<UInt8>) -> Void) {
            let plane = planes[component]
            if plane.across > 1 {
                let repeated = rooms[component]
                body(repeated.span.extracting(0..<width))
            } else {
                plane.withRow(of: y) { body($0.extracting(0..<width)) }
            }
        }
        withSamples(0) { first in
            withSamples(isColor ? 1 : 0) { second in
                withSamples(isColor ? 2 : 0) { third in
                    JPEGColors.write(first, second, third, isYCbCr: isYCbCr, to: target, layout)
                }
            }
        }
    }

    /// Repeats the samples of a component for row `y` of the image, of which each covers several pixels.
    private static func spread(
        _ plane: ReducedPlane, _ y: Int, parts: Int, width: Int, into pixels: inout [UInt8]
    ) {
        var pixels = pixels.mutableSpan
        plane.withRow(of: y) { samples in
            if parts > 1 {
                interpolate(samples.extracting(0..<plane.width), to: &pixels)
            } else {
                for x in 0..<width { pixels[x] = samples[x / plane.across] }
            }
        }
    }

    /// Computes two pixels of each sample, as libjpeg does in all images of more than one sample a block.
    ///
    /// - Source: libjpeg-turbo jdsample.c (`h2v1_fancy_upsample`).
    @_lifetime(pixels: copy pixels)
    private static func interpolate(_ samples: Span<UInt8>, to pixels: inout MutableSpan<UInt8>) {
        let count = samples.count
        for x in 0..<count {
            let here = 3 &* Int(samples[x])
            let before = Int(samples[max(x &- 1, 0)])
            let after = Int(samples[min(x &+ 1, count &- 1)])
            pixels[2 &* x] = UInt8(truncatingIfNeeded: (here &+ before &+ 1) &>> 2)
            pixels[2 &* x &+ 1] = UInt8(truncatingIfNeeded: (here &+ after &+ 2) &>> 2)
        }
    }

    /// Begins a scan of all components, in the order of the frame; returns `false` if it is any other.
    private mutating func beginScan(_ header: [UInt8], _ chain: ByteChain) -> Bool {
        guard let used = tables.used(by: header, in: frame) else { return false }
        func scan(isWhole: Bool) -> BaselineScan? {
            BaselineScan(
                frame, used, parts: parts, restartInterval: tables.restartInterval, at: walk.position,
                isWhole: isWhole)
        }
        if tables.restartInterval > 0, let whole = scan(isWhole: true) {
            shared = SharedScan(whole, sharing, chain)
            if shared != nil { self.scan = whole }
        }
        self.scan = self.scan ?? scan(isWhole: false)
        if let index, tables.restartInterval == 0 { self.scan?.makeIndex(index) }
        return self.scan != nil
    }
}
