import FirnImage

/// What images of other sizes in memory are good for, when the right one is not there.
///
/// An image serves if it has all the pixels that are wanted of it: then nothing is read and nothing is decoded. Among
/// those the smallest serves, since it costs least to reduce. If there is none, the largest of the others can be shown
/// until the right one is decoded.
enum SizeChoice {
    /// This image has the pixels wanted, or more.
    case serves(ImageContainer)
    /// This one is smaller than wanted.
    case previews(ImageContainer)
    case nothing

    /// Chooses among images of one family.
    ///
    /// - Parameter target: the size wanted; `nil` for every pixel.
    init(of target: TargetSize?, among images: [ImageContainer]) {
        var best: (container: ImageContainer, serves: Bool)?
        for container in images where !container.isPreview {
            // Without the original's size nobody can tell how many pixels are wanted.
            guard let original = container.originalSize else { continue }
            let serves = SizeChoice.serves(container.image.size, target, original)
            guard let present = best else {
                best = (container, serves)
                continue
            }
            let isSmaller = container.image.size.area < present.container.image.size.area
            if serves == present.serves ? isSmaller == serves : serves { best = (container, serves) }
        }
        switch best {
        case nil: self = .nothing
        case (let container, true)?: self = .serves(container)
        case (let container, false)?: self = .previews(container)
        }
    }

    /// Whether an image of `size` pixels has what a decode at `target` would have.
    ///
    /// One that was enlarged has no more than its original, so that what is to be larger yet starts from the original.
    private static func serves(_ size: PixelSize, _ target: TargetSize?, _ original: PixelSize) -> Bool {
        if size == original { return true }
        guard original.covers(size) else { return false }
        return size.covers(target?.resolved(for: original) ?? original)
    }
}
