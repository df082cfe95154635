/// Decides which adjacent processors of a list run as one.
///
/// - Rotations and flips become one or cancel out: the same pixels.
/// - Crops of crops become one crop: the same pixels.
/// - The cropped part of a resized image is not computed: the same pixels.
/// - Color matrices become one if no color is clamped in between: within a level.
/// - A rotation before a resize runs after it, on the small image: within a level.
///
/// Invariant: the result differs from that of the single steps by at most one 8-bit level. An inexact fusion is
/// therefore allowed only if all later steps move pixels or make them fainter, which does not enlarge a difference.
struct FusionPlan {
    /// One fused step, with the range of its processors in the list.
    struct Step {
        var processor: any ImageProcessing
        var range: Range<Int>
    }

    private(set) var steps: [Step] = []

    init(_ processors: [any ImageProcessing]) {
        let processors = processors.map { FusionPlan.unwrapped($0) }
        // From this index on, no step enlarges a difference.
        var quiet = processors.count
        while quiet > 0, FusionPlan.isQuiet(processors[quiet - 1]) { quiet -= 1 }
        for (index, processor) in processors.enumerated() {
            let next = FusionPlan.opened(processor)
            if let last = steps.last,
                let both = FusionPlan.fused(last.processor, next, mayDiffer: index + 1 >= quiet)
            {
                steps[steps.count - 1] = Step(processor: both, range: last.range.lowerBound..<index + 1)
            } else {
                steps.append(Step(processor: next, range: index..<index + 1))
            }
        }
    }

    /// Returns the processor inside a composition of one or behind another name.
    private static func unwrapped(_ processor: any ImageProcessing) -> any ImageProcessing {
        if let renamed = processor as? any RenamedProcessor { return unwrapped(renamed.original) }
        guard let composition = processor as? ImageProcessors.Composition, composition.processors.count == 1,
            let only = composition.processors.first
        else { return processor }
        return unwrapped(only)
    }

    /// Converts a processor to a form that can be fused with others.
    private static func opened(_ processor: any ImageProcessing) -> any ImageProcessing {
        switch processor {
        case let turn as any TurningProcessor: Turning(orientation: turn.orientation)
        case let crop as ImageProcessors.Crop where crop.isFixed: FusedCrop(parts: [crop])
        case let resize as ImageProcessors.Resize: FusedResize(turning: .up, resize: resize, crops: [])
        default: processor
        }
    }

    private static func isQuiet(_ processor: any ImageProcessing) -> Bool {
        switch processor {
        case is any TurningProcessor, is ImageProcessors.Pad,
            is ImageProcessors.RoundedCorners, is ImageProcessors.Circle:
            true
        case let crop as ImageProcessors.Crop: crop.isFixed
        default: false
        }
    }

    private static func fused(
        _ first: any ImageProcessing, _ second: any ImageProcessing, mayDiffer: Bool
    ) -> (any ImageProcessing)? {
        switch (first, second) {
        case (let first as Turning, let second as Turning):
            return Turning(orientation: first.orientation.followed(by: second.orientation))
        case (let first as FusedCrop, let second as FusedCrop):
            return FusedCrop(parts: first.parts + second.parts)
        case (let first as FusedResize, let second as FusedCrop):
            return FusedResize(turning: first.turning, resize: first.resize, crops: first.crops + second.parts)
        case (let first as Turning, let second as FusedResize) where mayDiffer && second.resize.anchor != .attention:
            return FusedResize(turning: first.orientation, resize: second.resize, crops: [])
        case (let first as ImageProcessors.ColorMatrix, let second as ImageProcessors.ColorMatrix) where mayDiffer:
            return FusedColors(first)?.followed(by: second)
        case (let first as FusedColors, let second as ImageProcessors.ColorMatrix) where mayDiffer:
            return first.followed(by: second)
        default:
            return nil
        }
    }
}
