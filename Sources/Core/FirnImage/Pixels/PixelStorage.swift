import FirnSync
import FirnSystem
import Synchronization

/// The layout of a buffer.
struct PixelShape {
    let size: PixelSize
    let format: PixelFormat
    let bytesPerRow: Int
    var isOpaque: Bool
    var colorProfile: ColorProfile?
}

/// The owner of the memory of a ``Bitmap``.
///
/// Safety: bytes and shape are written only by the initializer, before the `Bitmap` exists; afterwards they are
/// read-only. `companion` is accessed only by the drawing thread.
///
/// A reference to another owner only adds a separate reference count; see ``Bitmap/counted()``.
final class PixelStorage: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let count: Int
    private(set) var shape: PixelShape
    /// The memory that this instance allocated; `nil` if it is borrowed.
    private var own: PixelMemory?
    private var release: (@Sendable () -> Void)?
    /// The number of cache entries that hold the image.
    let keepers = Atomic<Int>(0)
    /// The object that a toolkit created from the pixels; see ``Bitmap/companion``.
    var companion: UnsafeMutableRawPointer?
    /// The owner that this instance refers to; `nil` for itself.
    private var target: PixelStorage?

    /// The owner of the memory, shared by all references to it.
    var owner: PixelStorage { target ?? self }

    /// Allocates memory.
    ///
    /// - Parameter zeroed: whether the memory is zeroed; if false, the caller must write every pixel.
    init(_ shape: PixelShape, zeroed: Bool = true) throws(ImageError) {
        let (count, overflow) = shape.bytesPerRow.multipliedReportingOverflow(by: max(shape.size.height, 0))
        guard count > 0, !overflow else { throw ImageError.unusable(shape.size) }
        guard let memory = PixelMemory(count: count, zeroed: zeroed) else {
            throw ImageError.outOfMemory(bytes: count)
        }
        base = memory.base
        self.count = count
        self.shape = shape
        own = memory
        PixelStorage.adviseLargePages(base, count)
    }

    /// Advises the system to use 2 MiB pages where they fit into a buffer; otherwise page faults (12,000 for 48 MB)
    /// dominate the time of writing a large image.
    private static func adviseLargePages(_ base: UnsafeMutableRawPointer, _ count: Int) {
        let page = 2 << 20
        guard count >= 2 * page else { return }
        let start = (UInt(bitPattern: base) + UInt(clamping: page - 1)) & ~UInt(clamping: page - 1)
        let end = (UInt(bitPattern: base) + UInt(clamping: count)) & ~UInt(clamping: page - 1)
        guard end > start else { return }
        // This is only advice; ignore the result.
        _ = madvise(UnsafeMutableRawPointer(bitPattern: start), Int(clamping: end - start), MADV_HUGEPAGE)
    }

    /// Borrows memory that holds all rows.
    init(borrowing base: UnsafeMutableRawPointer, _ shape: PixelShape, release: @escaping @Sendable () -> Void) {
        self.base = base
        self.shape = shape
        count = shape.bytesPerRow * shape.size.height
        self.release = release
    }

    /// Refers to the memory of another owner.
    init(referringTo storage: PixelStorage) {
        let owner = storage.owner
        base = owner.base
        count = owner.count
        shape = owner.shape
        target = owner
    }

    func declareOpaque() { shape.isOpaque = true }

    deinit {
        own?.release()
        release?()
    }
}

/// The memory of a pixel buffer: on the heap if it is small, otherwise a separate mapping.
///
/// Images live long, have various sizes, and are freed on other threads than the allocating ones. On the heap they
/// would cause fragmentation (a cache of 64 MiB takes 110), and the heap's locks are shared with the drawing thread.
/// Freed mappings are briefly kept for reuse (``PixelMappings``).
struct PixelMemory {
    let base: UnsafeMutableRawPointer
    /// The start of the heap block; `nil` for a mapping.
    private let block: UnsafeMutableRawPointer?
    private let length: Int

    #if DEBUG
    /// The byte that fills buffers in debug builds before use, unless they are zeroed, and after use.
    ///
    /// Unwritten pixels, and pixels of a freed image, then show as this gray. A test may set another byte for its task.
    @TaskLocal static var poison: UInt8 = 0xD5
    #endif

    /// Buffers of at least this many bytes are mappings.
    static let minimumMapped = 64 << 10

    /// Allocates memory.
    ///
    /// - Parameters:
    ///   - count: the number of bytes; more than 0.
    ///   - zeroed: whether they are zeroed; otherwise they are undefined.
    /// - Returns: `nil` if the system has none.
    init?(count: Int, zeroed: Bool) {
        self.init(finding: count, zeroed: zeroed)
        #if DEBUG
        if !zeroed { memset(base, Int32(PixelMemory.poison), count) }
        #endif
    }

    private init?(finding count: Int, zeroed: Bool) {
        if count >= PixelMemory.minimumMapped {
            if let (base, length) = PixelMappings.take(count) {
                (self.base, block, self.length) = (base, nil, length)
                if zeroed { memset(base, 0, count) }
                return
            }
            guard let mapping = PixelMemory.mapping(count) else { return nil }
            (base, block, length) = (mapping, nil, count)
            return
        }
        let padded = count + Bitmap.rowAlignment
        guard let block = zeroed ? calloc(1, padded) : malloc(padded) else { return nil }
        let mask = UInt(clamping: Bitmap.rowAlignment - 1)
        guard let base = UnsafeMutableRawPointer(bitPattern: (UInt(bitPattern: block) + mask) & ~mask) else {
            free(block)
            return nil
        }
        (self.base, self.block, length) = (base, block, count)
    }

    /// The address space left free for small allocations if it is limited (`ulimit -v`): a failed allocation crashes a
    /// Swift program.
    private static let reserve: Int = {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(clamping: RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur != .max else {
            return 0
        }
        return 32 << 20
    }()

    private static func mapping(_ count: Int) -> UnsafeMutableRawPointer? {
        let (size, isTooLarge) = count.addingReportingOverflow(reserve)
        guard !isTooLarge, let base = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            base != MAP_FAILED
        else { return nil }
        // Pages of 64 KiB are the largest.
        let kept = (count + 0xFFFF) & ~0xFFFF
        if size > kept { munmap(base + kept, size - kept) }
        return base
    }

    /// Frees the memory. Called once.
    func release() {
        #if DEBUG
        memset(base, Int32(PixelMemory.poison), length)
        #endif
        if let block { free(block) } else { PixelMappings.recycle(base, length) }
    }
}

/// Keeps freed mappings of images briefly, so that the next images reuse them.
///
/// In a new mapping, the first access to each page faults while the system allocates and zeroes it, and unmapping
/// interrupts the other cores. Consecutive images have similar sizes, so reuse is frequent.
///
/// Invariant: at most ``most`` bytes are kept; the oldest mappings are released first. ``trim(unusedFor:)`` releases
/// unused mappings; workers call it before a long sleep. If memory is short, all are released.
package enum PixelMappings {
    /// The maximum bytes kept: an image of four megapixels, or a hundred thumbnails.
    static let most = 16 << 20
    private static let kept = Locked<MappingCache>(MappingCache())
    /// The number of mappings in `kept`, readable without the lock.
    private static let count = Atomic<Int>(0)

    /// True if nothing is kept. Takes no lock.
    package static var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// Returns a kept mapping with undefined contents; `nil` if none fits.
    ///
    /// - Parameter length: the bytes needed. The mapping may have a quarter more.
    static func take(_ length: Int) -> (base: UnsafeMutableRawPointer, length: Int)? {
        if isEmpty { return nil }
        return change { $0.take(length) }.map { ($0.base, $0.length) }
    }

    /// Keeps a mapping, or unmaps it.
    static func recycle(_ base: UnsafeMutableRawPointer, _ length: Int) {
        let mapping = MappingCache.Mapping(base: base, length: length, since: now())
        unmap(change { $0.add(mapping, most: most) })
    }

    /// Unmaps mappings that have not been used for `age` nanoseconds. Default: all.
    package static func trim(unusedFor age: Int64 = 0) {
        if isEmpty { return }
        let end = now() &- age
        unmap(change { $0.remove(until: end) })
    }

    private static func change<Result>(_ body: (inout MappingCache) -> Result) -> Result {
        kept.withLock { kept in
            defer { count.store(kept.count, ordering: .relaxed) }
            return body(&kept)
        }
    }

    /// Order: called without the lock, because unmapping takes time while other threads allocate images.
    private static func unmap(_ mappings: [MappingCache.Mapping]) {
        for mapping in mappings { munmap(mapping.base, mapping.length) }
    }

    /// Returns the monotonic time in nanoseconds, up to a few milliseconds late; this costs a tenth of reading the
    /// exact time.
    private static func now() -> Int64 { MonotonicClock.read(CLOCK_MONOTONIC_COARSE) }
}

/// Freed mappings that are kept for reuse. A value that only decides; allocation and release happen elsewhere.
struct MappingCache {
    /// A mapping that is not in use.
    struct Mapping {
        let base: UnsafeMutableRawPointer
        let length: Int
        /// The time when it was freed, in nanoseconds.
        let since: Int64
    }

    /// In the order in which they were freed.
    private var mappings: [Mapping] = []
    private var bytes = 0

    var count: Int { mappings.count }

    /// Removes and returns the most recent mapping with at least `length` bytes and at most a quarter more, because it
    /// may still be in the processor's caches.
    mutating func take(_ length: Int) -> Mapping? {
        guard
            let place = mappings.lastIndex(where: { $0.length >= length && $0.length - length <= length / 4 })
        else { return nil }
        let mapping = mappings.remove(at: place)
        bytes -= mapping.length
        return mapping
    }

    /// Adds a mapping.
    ///
    /// - Returns: the mappings to release so that at most `most` bytes are kept; only the new one if it is longer.
    mutating func add(_ mapping: Mapping, most: Int) -> [Mapping] {
        guard mapping.length <= most else { return [mapping] }
        mappings.append(mapping)
        bytes += mapping.length
        var count = 0
        var rest = bytes
        while rest > most {
            rest -= mappings[count].length
            count += 1
        }
        return removeFirst(count)
    }

    /// Removes and returns the mappings that were freed at `moment` or before.
    mutating func remove(until moment: Int64) -> [Mapping] {
        removeFirst(mappings.firstIndex { $0.since > moment } ?? mappings.count)
    }

    private mutating func removeFirst(_ count: Int) -> [Mapping] {
        guard count > 0 else { return [] }
        let gone = Array(mappings[..<count])
        mappings.removeFirst(count)
        bytes -= gone.reduce(0) { $0 + $1.length }
        return gone
    }
}

extension ImageError {
    /// Returns the error for a size that no pixel buffer can have: it is empty, its bytes overflow, or the given memory
    /// is too small for it.
    package static func unusable(_ size: PixelSize) -> ImageError {
        ImageError(.limit, at: .processing, "no pixel buffer can have \(size) pixels")
    }

    /// Returns the error for memory that the system does not have.
    package static func outOfMemory(bytes: Int) -> ImageError {
        ImageError(.limit, at: .processing, "no memory for a pixel buffer of \(bytes) bytes")
    }

    /// Returns the error for an image with transparent pixels that should get a layout without alpha.
    package static func notOpaque(_ format: PixelFormat) -> ImageError {
        ImageError(.image, at: .processing, "an image with transparent pixels cannot become \(format.rawValue)")
    }
}
