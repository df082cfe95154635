public import FoundationEssentials

/// An image with its properties, as decoders and processors pass it on and caches keep it.
public struct ImageContainer: Sendable {
    /// The pixels.
    public var image: Bitmap
    /// Format of the file it was decoded from.
    public var format: ImageFormat?
    /// Whether this is an early state of an image that is still arriving, or a smaller one that stands in for it.
    public var isPreview: Bool
    /// All bytes of the file, if it is an animation and was not read from a local file: what its other frames are
    /// decoded from. Counted in ``cost``. `nil` for stills, and for animations in local files, which are opened again.
    public var data: Data? {
        get { extras?.data }
        set { extras = newValue == nil && userInfo.isEmpty ? nil : Extras(data: newValue, userInfo: userInfo) }
    }
    /// Values that a decoder or a processor attaches to the image; memory caches keep them. Empty by default, and for images
    /// whose decoder is one of Firn's. Not counted in ``cost``.
    public var userInfo: [UserInfoKey: any Sendable] {
        get { extras?.userInfo ?? [:] }
        set { extras = newValue.isEmpty && data == nil ? nil : Extras(data: data, userInfo: newValue) }
    }
    /// What few images have, behind one reference: containers are copied at every hit of the memory cache.
    private var extras: Extras?
    /// Whether the file is an animation, of which `image` is the first frame. Default: no.
    public var isAnimated = false
    /// Size of the whole image in its file, as displayed; `nil` where that is not known. `image` may have less.
    public var originalSize: PixelSize?
    /// Which state of a local file it was decoded from; `nil` where it is from none.
    package var sourceVersion: SourceVersion?
    /// The moment of ``freshUntil`` in nanoseconds since 1970, as memory hits compare it. `Int64.max`, the default: always.
    /// `Int64.min`: the image must not be kept.
    package var freshNanoseconds = Int64.max
    /// Whether the image may still be shown until the right one is there, when it is no longer fresh. Default: yes.
    public var isShownStale = true

    /// Wraps `image`.
    public init(
        image: Bitmap, format: ImageFormat? = nil, isPreview: Bool = false, data: Data? = nil,
        originalSize: PixelSize? = nil
    ) {
        self.init(
            image: image, format: format, isPreview: isPreview, data: data, originalSize: originalSize,
            sourceVersion: nil)
    }

    /// Wraps the image of a local file.
    package init(
        image: Bitmap, format: ImageFormat? = nil, isPreview: Bool = false, data: Data? = nil,
        originalSize: PixelSize? = nil, sourceVersion: SourceVersion?
    ) {
        self.image = image
        self.format = format
        self.isPreview = isPreview
        self.originalSize = originalSize
        self.sourceVersion = sourceVersion
        if let data { extras = Extras(data: data) }
    }

    /// Names a value in ``userInfo``.
    public struct UserInfoKey: Hashable, Sendable, ExpressibleByStringLiteral {
        /// The name.
        public let rawValue: String

        /// A key of this name.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// A key of this name.
        public init(stringLiteral name: String) { rawValue = name }
    }

    /// Never changed: a change makes another.
    private final class Extras: Sendable {
        let data: Data?
        let userInfo: [UserInfoKey: any Sendable]

        init(data: Data?, userInfo: [UserInfoKey: any Sendable] = [:]) {
            self.data = data
            self.userInfo = userInfo
        }
    }

    /// The bytes that the image holds in memory.
    public var cost: Int { image.cost + (extras?.data?.count ?? 0) }
}
