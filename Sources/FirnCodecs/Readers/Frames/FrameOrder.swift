import FirnImage

/// Which frames a frame of an animation is made of.
///
/// Data structure: an entry a frame, made when the frame becomes known. The canvas *under* a frame is what the frame
/// before it left behind after its disposal; the canvas under the first frame is blank, and so "previous" of a first
/// frame is blank, too. A frame disposed of by "background" or "previous" leaves nothing of its own pixels, so that only
/// frames that are kept have ever to be decoded for the sake of later ones.
/// Invariant: an entry depends on its own frame and the entry before it, and never changes.
/// - Source: GIF89a specification §23; PNG (third edition) §11.3.6.3; RFC 9649 §2.7.1.1.
struct FrameOrder {
    /// What is known of one frame's place.
    struct Entry {
        /// Whether the canvas under the frame is blank.
        var startsBlank: Bool
        /// Whether nothing of the canvas under it shows through the frame.
        var replacesAll: Bool
        /// Whether some pixel of the image may be transparent while the frame is shown.
        var hasAlpha: Bool
        fileprivate var disposal: StoredFrame.Disposal
        /// Whether the canvas under the frame may be transparent somewhere.
        fileprivate var startsWithAlpha: Bool
        fileprivate var covers: Bool
        fileprivate var isEmpty: Bool
    }

    let canvas: PixelSize
    private(set) var entries: [Entry] = []

    init(canvas: PixelSize) { self.canvas = canvas }

    /// The newest frame's entry.
    var last: Entry? { entries.last }

    /// Adds the next frame.
    mutating func append(_ frame: StoredFrame) {
        let startsBlank: Bool
        let startsWithAlpha: Bool
        if let before = entries.last {
            switch before.disposal {
            case .keep:
                startsBlank = before.startsBlank && before.isEmpty
                startsWithAlpha = before.hasAlpha
            case .background:
                startsBlank = before.covers || before.startsBlank
                startsWithAlpha = before.startsWithAlpha || !before.isEmpty
            case .previous:
                startsBlank = before.startsBlank
                startsWithAlpha = before.startsWithAlpha
            }
        } else {
            startsBlank = true
            startsWithAlpha = true
        }
        let area = frame.area(on: canvas)
        let covers = area == CanvasArea(canvas)
        let replacesAll = covers && !(frame.blends && frame.hasAlpha)
        let hasAlpha = replacesAll ? frame.hasAlpha : startsWithAlpha || (!frame.blends && frame.hasAlpha)
        entries.append(
            Entry(
                startsBlank: startsBlank, replacesAll: replacesAll, hasAlpha: hasAlpha, disposal: frame.disposal,
                startsWithAlpha: startsWithAlpha, covers: covers, isEmpty: area.isEmpty))
    }

    /// The frame to begin with so that frame `index` can be shown: the last one, up to `index`, under which the canvas is
    /// kept, blank, or of no matter.
    ///
    /// - Complexity: a step for every frame between the two.
    func start(for index: Int, isKept: (Int) -> Bool) -> Int {
        var start = index
        while start > 0 {
            let entry = entries[start]
            if entry.startsBlank || isKept(start) { break }
            if entry.replacesAll, start == index || entry.disposal == .keep { break }
            start -= 1
        }
        return start
    }
}
