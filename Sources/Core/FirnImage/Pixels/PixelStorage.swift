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
