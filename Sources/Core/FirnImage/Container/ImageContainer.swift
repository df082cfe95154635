public import FoundationEssentials

/// An image with its properties, passed between decoders, processors and caches.
public struct ImageContainer: Sendable {
    /// The pixels.
    public var image: Bitmap
    /// The format of the file; `nil` if the image was not decoded from one.
    public var format: ImageFormat?
    /// True if the image is incomplete, or a smaller version shown until the requested image is loaded.
    public var isPreview: Bool
    /// All bytes of the file if it is an animation that is not a local file; the other frames are decoded from them.
    /// Counted in ``cost``.
    ///
    /// `nil` for still images, and for animations in local files, which are opened again.
    public var data: Data? {
        get { extras?.values.data }
        set { change { $0.data = newValue } }
    }
    /// Values that a decoder or a processor attaches to the image. Memory caches keep them. Not counted in ``cost``.
    ///
    /// Empty by default, and for images of Firn's own decoders.
    public var userInfo: [UserInfoKey: any Sendable] {
        get { extras?.values.userInfo ?? [:] }
        set { change { $0.userInfo = newValue } }
    }
    /// The exact size of a vector image, which is rendered again at another requested size; `nil` (the default) for an
    /// image of pixels. ``originalSize`` is this size in whole pixels.
    package var vectorSize: VectorSize? {
        get { extras?.values.vectorSize }
        set { if newValue != vectorSize { change { $0.vectorSize = newValue } } }
    }
    /// The part of the whole image that `image` shows, in pixels of ``originalSize``; `nil` (the default) for all of
    /// it.
    package var area: PixelArea? {
        get { extras?.values.area }
        set { change { $0.area = newValue } }
    }
    /// The gain map of `image`; `nil` (the default) if there is none. Counted in ``cost``.
    ///
    /// Pipelines decode it for requests with the option `includeGainMap`. Firn's processors that crop, resize, rotate
    /// or mirror change the map with the image, and the others remove it. A processor of the program has to do the
    /// same.
    public var gainMap: GainMap? {
        get { extras?.values.gainMap }
        set { if newValue != nil || gainMap != nil { change { $0.gainMap = newValue } } }
    }
    /// The reason why pixels are missing; `nil` (the default) if the image is complete. Missing pixels are transparent.
    ///
    /// Occurs only if the request allows it (`allowPartial`). No cache keeps such an image.
    public var damage: ImageError? {
        get { extras?.values.damage }
        set { if newValue != damage { change { $0.damage = newValue } } }
    }
    /// The fields of the request that the response depends on, with their normalized values (RFC 9111 §4.1). Empty
    /// unless a delegate may send other values for the same key.
    package var selecting: [String: String] {
        get { extras?.values.selecting ?? [:] }
        set { if newValue != selecting { change { $0.selecting = newValue } } }
    }
    /// True if ``selecting`` has fields.
    package var varies: Bool { extras.map { !$0.values.selecting.isEmpty } ?? false }
    /// False if the file is truncated or damaged and the image shows only the decoded part.
    public var isComplete: Bool { damage == nil }
    /// The part of the whole image that `image` shows, in pixels of ``originalSize``; `nil` for all of it.
    public var region: ImageRegion? { area.map(ImageRegion.init) }
    /// Rarely used properties, behind one reference because every memory hit copies the container.
    private var extras: Extras?
    /// True if the file is an animation; `image` is its first frame. Default: false.
    public var isAnimated = false
    /// The displayed size of the whole image in its file; `nil` if unknown. `image` may have fewer pixels, or more for
    /// a vector image.
    public var originalSize: PixelSize?
    /// The version of the local file that the image was decoded from; `nil` if there is none.
    package var sourceVersion: SourceVersion?
    /// The time of ``freshUntil`` in nanoseconds since 1970. `Int64.max` (the default): always fresh. `Int64.min`: the
    /// image must not be cached.
    package var freshNanoseconds = Int64.max
    /// The earliest time at which the image is fresh, in nanoseconds since 1970: before it, the clock was ahead when
    /// the image was loaded.
    package var freshSince = Int64.min
    /// True if the image may be shown after ``freshUntil`` while it is revalidated. Default: true.
    public var isShownStale = true

    /// Creates a container of `image`.
    public init(
        image: Bitmap, format: ImageFormat? = nil, isPreview: Bool = false, data: Data? = nil,
        originalSize: PixelSize? = nil
    ) {
        self.image = image
        self.format = format
        self.isPreview = isPreview
        self.originalSize = originalSize
        if let data { extras = Extras(Extras.Values(data: data)) }
    }

    private mutating func change(_ body: (inout Extras.Values) -> Void) {
        var values = extras?.values ?? Extras.Values()
        body(&values)
        extras = values.isEmpty ? nil : Extras(values)
    }

    /// A key of ``userInfo``.
    public struct UserInfoKey: Hashable, Sendable, ExpressibleByStringLiteral {
        /// The name.
        public let rawValue: String

        /// Creates a key.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// Creates a key.
        public init(stringLiteral name: String) { rawValue = name }
    }

    /// Immutable: a change creates a new instance.
    private final class Extras: Sendable {
        struct Values: Sendable {
            var data: Data?
            var userInfo: [UserInfoKey: any Sendable] = [:]
            var area: PixelArea?
            var vectorSize: VectorSize?
            var gainMap: GainMap?
            var damage: ImageError?
            var selecting: [String: String] = [:]

            var isEmpty: Bool {
                data == nil && userInfo.isEmpty && area == nil && vectorSize == nil && gainMap == nil
                    && damage == nil && selecting.isEmpty
            }
        }

        let values: Values

        init(_ values: Values) { self.values = values }
    }

    /// Returns the same values with reference counts of their own; see ``Bitmap/counted()``.
    package func counted() -> ImageContainer {
        var copy = self
        copy.image = image.counted()
        copy.extras = extras.map { Extras($0.values) }
        return copy
    }

    /// The bytes that the container holds in memory.
    public var cost: Int {
        image.cost + (extras.map { ($0.values.data?.count ?? 0) + ($0.values.gainMap?.image.cost ?? 0) } ?? 0)
    }

    /// The time until which the image is used without asking its source again; `nil` (the default) for always.
    ///
    /// A pipeline sets it from the response, and revalidates the image afterwards. Precision: one microsecond.
    public var freshUntil: Date? {
        get { freshNanoseconds == .max ? nil : Date(timeIntervalSince1970: Double(freshNanoseconds) / 1e9) }
        set { freshNanoseconds = newValue.map(ImageContainer.nanoseconds) ?? .max }
    }

    /// Returns nanoseconds since 1970, clamped to exclude the smallest and the largest value, which have special
    /// meanings.
    private static func nanoseconds(_ date: Date) -> Int64 {
        let value = date.timeIntervalSince1970 * 1e9
        guard value > Double(Int64.min) else { return .min + 1 }
        return Int64(exactly: value.rounded()) ?? .max - 1
    }

    /// The extent of the whole image; that of `image` if the size of the original is unknown.
    package var extent: ImageExtent { ImageExtent(originalSize ?? image.size, vector: vectorSize) }
}

/// The version of a local file. Files of the same version are assumed to have the same content.
///
/// A change keeps the version if it keeps the length and the inode and happens within one tick of the file system's
/// clock after an earlier change (4 ms on most kernels before Linux 6.13).
package struct SourceVersion: Hashable, Sendable {
    /// The length in bytes.
    package var size: Int
    /// The time of the last modification, in nanoseconds since 1970.
    package var modified: Int64
    /// The time of the last change of content or status, in nanoseconds since 1970; 0 if unknown. Programs cannot set
    /// it, so it changes even if an edit keeps the length and the modification time.
    package var changed: Int64
    /// The inode number, which changes when the file is replaced.
    package var inode: UInt64

    package init(size: Int, modified: Int64, changed: Int64 = 0, inode: UInt64) {
        self.changed = changed
        self.size = size
        self.modified = modified
        self.inode = inode
    }

    /// Returns whether length, modification time and inode are equal. Permissions and names may still differ, or the
    /// content if an edit kept its modification time; compare digests to find out.
    package func isLike(_ other: SourceVersion) -> Bool {
        size == other.size && modified == other.modified && inode == other.inode
    }
}
