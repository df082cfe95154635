internal import FirnImage

/// Which adjacent processors of a list are done as one.
///
/// - Turns and mirrors become one, or nothing: the same pixels.
/// - Parts of parts become one part: the same pixels.
/// - What is cut off a resized image is not computed: the same pixels.
/// - Color matrices become one, where no color is cut in between: within a level.
/// - An image is turned after it was resized, when it is small: within a level.
///
/// Invariant: the result differs from that of the single steps by at most a level of 8 bits. So what is not exact is done
/// only where the steps behind it move pixels or make them fainter, which makes no difference larger.
struct FusionPlan {
    /// What is done in one go, with the places of the processors in the list.
    struct Step {
        var processor: any ImageProcessing
        var range: Range<Int>
    }

    private(set) var steps: [Step] = []

    init(_ processors: [any ImageProcessing]) {
        // From here on nothing enlarges a difference.
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

    /// Turns and mirrors as what they are.
    private static func opened(_ processor: any ImageProcessing) -> any ImageProcessing {
        switch processor {
        case let rotate as ImageProcessors.Rotate: Turning(orientation: rotate.orientation)
        case let flip as ImageProcessors.Flip: Turning(orientation: flip.orientation)
        default: processor
        }
    }

    private static func isQuiet(_ processor: any ImageProcessing) -> Bool {
        switch processor {
        case is ImageProcessors.Rotate, is ImageProcessors.Flip, is ImageProcessors.Pad,
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
        case (let first as ImageProcessors.Crop, let second as ImageProcessors.Crop) where second.isFixed:
            return first.isFixed ? FusedCrop(parts: [first, second]) : nil
        case (let first as FusedCrop, let second as ImageProcessors.Crop) where second.isFixed:
            return FusedCrop(parts: first.parts + [second])
        case (let first as ImageProcessors.Resize, let second as ImageProcessors.Crop) where second.isFixed:
            return FusedResize(turning: .up, resize: first, crops: [second])
        case (let first as FusedResize, let second as ImageProcessors.Crop) where second.isFixed:
            return FusedResize(turning: first.turning, resize: first.resize, crops: first.crops + [second])
        case (let first as Turning, let second as ImageProcessors.Resize)
        where mayDiffer && second.anchor != .attention:
            return FusedResize(turning: first.orientation, resize: second, crops: [])
        case (let first as ImageProcessors.ColorMatrix, let second as ImageProcessors.ColorMatrix) where mayDiffer:
            return FusedColors(first)?.followed(by: second)
        case (let first as FusedColors, let second as ImageProcessors.ColorMatrix) where mayDiffer:
            return first.followed(by: second)
        default:
            return nil
        }
    }
}
