/// Chooses among images of other sizes and regions in memory if the requested one is missing.
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

    /// The requested sizes; `nil` for the size of the original.
    struct Targets {
        /// The size of an image of pixels.
        var pixels: TargetSize?
        /// The size of a vector image.
        var vector: TargetSize?

        /// The same size for both.
        static func both(_ target: TargetSize?) -> Targets { Targets(pixels: target, vector: target) }
    }

    /// Chooses among images of one family for a requested size; `nil` for that of the original.
    init(of target: TargetSize?, region: ImageRegion? = nil, among images: [ImageContainer]) {
        self.init(of: .both(target), region: region, among: images)
    }

    /// Chooses among images of one family.
    ///
    /// - Parameters:
    ///   - targets: the requested size.
    ///   - region: the requested part; `nil` for the whole image. Images that do not show all of it are left out.
    init(of targets: Targets, region: ImageRegion? = nil, among images: [ImageContainer]) {
        var best: (container: ImageContainer, serves: Bool)?
        for container in images where !container.isPreview {
            // Without the size of the original, the number of requested pixels is unknown.
            guard let original = container.originalSize else { continue }
            let whole = PixelArea(original)
            let shown = container.area ?? whole
            guard let wanted = region.map({ $0.resolved(in: original) }) ?? whole, shown.contains(wanted) else {
                continue
            }
            let serves = SizeChoice.serves(container, shows: shown.size, targets, wanted.size)
            guard let present = best else {
                best = (container, serves)
                continue
            }
            let isSmaller = container.image.size.area < present.container.image.size.area
            if serves == present.serves ? isSmaller == serves : serves { best = (container, serves) }
        }
        self = best.map { $0.serves ? .serves($0.container) : .previews($0.container) } ?? .nothing
    }

    /// Returns whether an image, which shows `shown` pixels of the original, has the pixels of a decode of `wanted` of
    /// them at the requested size.
    ///
    /// An enlarged image has no more detail than its original, so a larger size starts from the original. A rendering
    /// of a vector image has the detail of its size.
    private static func serves(
        _ container: ImageContainer, shows shown: PixelSize, _ targets: Targets, _ wanted: PixelSize
    ) -> Bool {
        let size = container.image.size
        let extent = container.extent
        if extent.vector == nil {
            if size == shown { return true }
            guard shown.covers(size) else { return false }
        }
        let target = extent.vector == nil ? targets.pixels : targets.vector
        let needed = target?.resolved(for: extent.part(wanted)) ?? wanted
        if shown == wanted { return size.covers(needed) }
        func has(_ size: Int, _ shown: Int, _ needed: Int, _ wanted: Int) -> Bool {
            Double(size) * Double(wanted) >= Double(needed) * Double(shown)
        }
        return has(size.width, shown.width, needed.width, wanted.width)
            && has(size.height, shown.height, needed.height, wanted.height)
    }
}
