import FirnImage

/// Decides when the pyramid of an image is built automatically. A pure value.
///
/// The first region of a large image is decoded like any other. The second one of the same image starts a build,
/// because a third is likely. An image is identified by the key of its pyramid and by the version of its bytes.
struct PyramidPolicy {
    private static let maximumCounted = 64
    /// The most memory of an automatic build, in bytes.
    static let maximumBytes = 128 << 20
    /// Formats in which the pixels before a region must be decoded to reach it.
    static let formats: Set<ImageFormat> = [.jpeg, .png, .qoi, .webp]

    /// The least pixels of an image whose pyramid is built automatically.
    let minimumPixels: Int
    /// The counted images, the most recent last.
    private var counted: [(key: String, source: PyramidSource)] = []

    /// - Parameter minimumPixels: see ``ImagePipeline/Configuration/automaticPyramidPixels``.
    init(minimumPixels: Int) { self.minimumPixels = minimumPixels }

    /// Returns whether an image gets a pyramid automatically.
    func suits(_ properties: ImageProperties) -> Bool {
        PyramidPolicy.formats.contains(properties.format) && properties.size.area >= minimumPixels
            && !properties.isAnimation
    }

    /// Counts a decoded region of an image.
    ///
    /// - Returns: whether to build its pyramid now.
    mutating func noteRegion(of key: String, _ source: PyramidSource) -> Bool {
        let former = counted.firstIndex { $0.key == key }.map { counted.remove(at: $0).source }
        if former?.isSameSource(version: source.version, validator: source.validator) == true { return true }
        counted.append((key, source))
        if counted.count > PyramidPolicy.maximumCounted { counted.removeFirst() }
        return false
    }
}
