import FirnImage

/// Chooses among images of other sizes in memory when the right one is not there.
///
/// An image serves if it has all wanted pixels. Then nothing is read and nothing is decoded. The smallest of these
/// serves, since it costs least to reduce. If there is none, the largest of the others is shown until the right one is
/// decoded.
enum SizeChoice {
    /// This image has the wanted pixels, or more.
    case serves(ImageContainer)
    /// This image is smaller than wanted.
    case previews(ImageContainer)
    case nothing

    /// Chooses among images of one family.
    ///
    /// - Parameter target: the wanted size; `nil` for every pixel.
    init(of target: TargetSize?, among images: [ImageContainer]) {
        var best: (container: ImageContainer, serves: Bool)?
        for container in images where !container.isPreview {
            // Without the size of the original, the number of wanted pixels is unknown.
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

    /// Whether an image of `size` has the pixels of a decode at `target`.
    ///
    /// An enlarged image has no more detail than its original, so a larger size starts from the original.
    private static func serves(_ size: PixelSize, _ target: TargetSize?, _ original: PixelSize) -> Bool {
        if size == original { return true }
        guard original.covers(size) else { return false }
        return size.covers(target?.resolved(for: original) ?? original)
    }
}
