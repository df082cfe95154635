import FirnImage

/// Decides when the pyramid of an image is built without being asked for. A pure value.
///
/// One region of a large image is decoded as any other. The second one of the same image begins a pyramid, since a
/// third is likely. An image is counted by the key of its pyramid and by what identifies its bytes.
struct PyramidPolicy {
    /// Images that are counted.
    private static let mostCounted = 64
    /// The most memory of a build that was not asked for.
    static let mostBytes = 128 << 20
    /// Formats in which a region is found only by decoding what comes before it.
    static let formats: Set<ImageFormat> = [.jpeg, .png, .qoi, .webp]

    /// Images from this many pixels on are worth a pyramid.
    let leastPixels: Int
    /// What is known of an image, the most recent last.
    private var counted: [(key: String, source: PyramidSource)] = []

    /// - Parameter leastPixels: see ``ImagePipeline/Configuration/automaticPyramidPixels``.
    init(leastPixels: Int) { self.leastPixels = leastPixels }

    /// Whether an image is worth a pyramid that was not asked for.
    func suits(_ properties: ImageProperties) -> Bool {
        PyramidPolicy.formats.contains(properties.format) && properties.size.area >= leastPixels
            && !properties.isAnimation
    }

    /// Counts a region of an image that was decoded.
    ///
    /// - Returns: whether to build its pyramid now.
    mutating func noteRegion(of key: String, _ source: PyramidSource) -> Bool {
        let known = counted.firstIndex { $0.key == key }
        let isSecond = known.map {
            counted[$0].source.isSameSource(version: source.version, validator: source.validator)
        }
        if let known { counted.remove(at: known) }
        guard isSecond != true else { return true }
        counted.append((key, source))
        if counted.count > PyramidPolicy.mostCounted { counted.removeFirst() }
        return false
    }
}
