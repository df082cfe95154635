import FirnImage

/// Chooses among images of other sizes in memory if the requested one is missing.
///
/// An image serves if it has all requested pixels. Then nothing is read or decoded. The smallest such image is
/// chosen, since it costs least to reduce. If there is none, the largest of the others is shown until the requested
/// one is decoded.
enum SizeChoice {
    /// This image has at least the requested pixels.
    case serves(ImageContainer)
    /// This image is smaller than requested.
    case previews(ImageContainer)
    case nothing

    /// Chooses among images of one family.
    ///
    /// - Parameter target: the requested size; `nil` for the size of the original.
    init(of target: TargetSize?, among images: [ImageContainer]) {
        var best: (container: ImageContainer, serves: Bool)?
        for container in images where !container.isPreview {
            // Without the size of the original, the number of requested pixels is unknown.
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
