/// Tracks which frames each frame of an animation depends on.
///
/// Data structure: one entry per frame, created when the frame becomes known. The canvas *under* a frame is what the
/// frame before it left behind after its disposal. The canvas under the first frame is blank, so "previous" of a first
/// frame is blank, too. A frame with the disposal "background" or "previous" leaves none of its own pixels, so later
/// frames need only frames that are kept.
///
/// Invariant: an entry depends on its own frame and the entry before it, and never changes.
///
/// - Source: GIF89a specification §23; PNG (third edition) §11.3.6.3; RFC 9649 §2.7.1.1.
struct FrameOrder {
    /// The properties of one frame that compositing needs.
    struct Entry {
        /// True if the canvas under the frame is blank.
        var startsBlank: Bool
        /// True if nothing of the canvas under the frame shows through it.
        var replacesAll: Bool
        /// True if some pixel of the image may be transparent while the frame is shown.
        var hasAlpha: Bool
        fileprivate var disposal: StoredFrame.Disposal
        /// True if the canvas under the frame may be transparent somewhere.
        fileprivate var startsWithAlpha: Bool
        fileprivate var covers: Bool
        fileprivate var isEmpty: Bool

        /// The canvas that the frame leaves behind: whether it is blank, and whether it may be transparent somewhere.
        fileprivate var after: (isBlank: Bool, hasAlpha: Bool) {
            switch disposal {
            case .keep: (startsBlank && isEmpty, hasAlpha)
            case .background: (covers || startsBlank, startsWithAlpha || !isEmpty)
            case .previous: (startsBlank, startsWithAlpha)
            }
        }
    }

    let canvas: PixelSize
    private(set) var entries: [Entry] = []

    /// The newest frame's entry.
    var last: Entry? { entries.last }

    /// Adds the next frame.
    mutating func append(_ frame: StoredFrame) {
        let (startsBlank, startsWithAlpha) = entries.last?.after ?? (true, true)
        let area = frame.area(on: canvas)
        let covers = area == PixelArea(canvas)
        let replacesAll = covers && !(frame.blends && frame.hasAlpha)
        let hasAlpha = replacesAll ? frame.hasAlpha : startsWithAlpha || (!frame.blends && frame.hasAlpha)
        entries.append(
            Entry(
                startsBlank: startsBlank, replacesAll: replacesAll, hasAlpha: hasAlpha, disposal: frame.disposal,
                startsWithAlpha: startsWithAlpha, covers: covers, isEmpty: area == nil))
    }

    /// Returns the frame at which compositing of frame `index` starts: the last one, up to `index`, whose canvas is
    /// stored, blank, or irrelevant.
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

extension StoredFrame {
    /// Returns the part of a canvas that the frame covers; `nil` if it lies outside.
    func area(on canvas: PixelSize) -> PixelArea? {
        ImageRegion.pixels(x: x, y: y, width: size.width, height: size.height).resolved(in: canvas)
    }
}
