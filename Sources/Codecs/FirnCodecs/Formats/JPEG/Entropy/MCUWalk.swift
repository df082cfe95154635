/// The progress of a scan through its MCUs, as far as its bytes have arrived.
///
/// Invariants: the MCUs before `mcu` are decoded. An MCU is decoded as a whole or not at all, so bytes may arrive in
/// any pieces. Each block takes at least a bit, so the bytes bound the time.
///
/// - Source: ISO/IEC 10918-1 §A.2 (order of blocks), §E.2.4 (restarts).
struct MCUWalk {
    /// The most blocks of an MCU (§B.2.3).
    static let maximumBlocks = 10

    /// The MCUs from one restart marker to the next; 0 without markers.
    let restartInterval: Int
    /// The MCUs of a row.
    let width: Int
    /// The number after the last MCU to decode.
    private var count: Int
    /// More than the bytes of an MCU.
    private let bytesOfMCU: Int
    private(set) var mcu = 0
    private var restarts = 0
    private var window: CodedWindow

    /// Starts a scan of `width` by `height` MCUs whose data begin at `position`.
    init(width: Int, height: Int, restartInterval: Int, bytesOfMCU: Int, at position: Int) {
        self.width = width
        self.restartInterval = restartInterval
        self.bytesOfMCU = bytesOfMCU
        count = width * height
        window = CodedWindow(at: position)
    }

    /// Returns the walk through some restart intervals, whose data begin at `position`.
    func part(_ intervals: Range<Int>, at position: Int) -> MCUWalk {
        var part = self
        // Bound: the whole scan has the intervals.
        part.count = min(intervals.upperBound * restartInterval, count)
        part.mcu = intervals.lowerBound * restartInterval
        part.restarts = intervals.lowerBound
        part.window = CodedWindow(at: position)
        return part
    }

    /// The rows of MCUs that are complete.
    var rows: Int { mcu / width }

    /// The number of restart intervals; 1 without markers.
    var intervals: Int { restartInterval > 0 ? (count + restartInterval - 1) / restartInterval : 1 }

    /// The offset in the file after the decoded data; at the scan's end, that of the next marker.
    var position: Int { window.position }

    /// Starts to track file offsets at the start of the scan, so that ``place`` is known.
    func followPlaces() { window.followPlaces() }

    /// The place in the file of the next bit: see ``CodedWindow/place``.
    var place: Int? { window.place }

    /// The place after the last MCU; `nil` if it is not known exactly.
    var endPlace: Int? {
        window.checkAnchor()
        return window.place
    }

    /// Marks all MCUs as decoded. The next marker is at `position`.
    mutating func moveToEnd(at position: Int) {
        mcu = count
        window.restart(at: position)
    }

    /// Decodes up to the MCU `last`, as far as the received bytes allow.
    ///
    /// - Parameters:
    ///   - restart: called after each restart marker.
    ///   - decode: decodes one MCU, of which the column and the row are given; returns `false` if it is damaged.
    @inline(__always)
    mutating func advance(
        to last: Int, _ chain: ByteChain, restart: () -> Void,
        decode: (inout CodedBits, _ column: Int, _ row: Int) -> Bool
    ) -> JPEGOutcome {
        let last = min(last, count)
        while mcu < last {
            if restartInterval > 0, mcu == (restarts + 1) * restartInterval {
                guard window.reachMarker(chain), window.passRestart(restarts, in: chain) else { return atMarker(chain) }
                restarts += 1
                restart()
            }
            guard window.prepare(bytesOfMCU, chain) else { return waiting(chain) }
            let stretch = restartInterval > 0 ? (restarts + 1) * restartInterval : last
            guard decodeStretch(to: min(stretch, last), decode) else { return .damaged }
        }
        guard mcu == count else { return .more }
        return window.reachMarker(chain) ? .end : atMarker(chain)
    }

    private func waiting(_ chain: ByteChain) -> JPEGOutcome { chain.isFinished ? .damaged : .needsBytes }

    /// Returns the outcome if all blocks of a stretch are decoded but the expected marker is not there.
    private func atMarker(_ chain: ByteChain) -> JPEGOutcome {
        window.hasBytesLeft || window.isAtMarker ? .damaged : waiting(chain)
    }

    /// Decodes MCUs up to `last`, or as many as the window has bytes for; at least one. Returns `false` if one is
    /// damaged.
    @inline(__always)
    private mutating func decodeStretch(
        to last: Int, _ decode: (inout CodedBits, _ column: Int, _ row: Int) -> Bool
    ) -> Bool {
        var bits = window.bits()
        // An MCU that begins before is in the window as a whole, or the stretch ends in it.
        let safe = window.isAtMarker ? window.end : window.end - bytesOfMCU
        var row = mcu / width
        var column = mcu - row * width
        repeat {
            guard decode(&bits, column, row) else { return false }
            mcu += 1
            column += 1
            if column == width {
                column = 0
                row += 1
            }
        } while mcu < last && bits.offset <= safe
        window.take(bits)
        return !window.isOverrun
    }
}
