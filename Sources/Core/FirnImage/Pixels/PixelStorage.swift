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
/// A reference to another owner has a reference count of its own and nothing else; see ``Bitmap/counted()``.
final class PixelStorage: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let count: Int
    private(set) var shape: PixelShape
    /// The memory that this instance allocated; `nil` if it is borrowed.
    private var own: PixelMemory?
    private var release: (@Sendable () -> Void)?
    /// The number of cache entries that hold the image.
    let keepers = Atomic<Int>(0)
    /// The object that a toolkit made of the pixels; see ``Bitmap/companion``.
    var companion: UnsafeMutableRawPointer?
    /// The owner that this instance refers to; `nil` for itself.
    private var target: PixelStorage?

    /// The owner of the memory, which all references to it have in common.
    var owner: PixelStorage { target ?? self }

    /// Allocates memory.
    ///
    /// - Parameter zeroed: whether it is zeroed; otherwise it is undefined, and the caller writes every pixel.
    init(_ shape: PixelShape, zeroed: Bool = true) throws(BitmapError) {
        let (count, overflow) = shape.bytesPerRow.multipliedReportingOverflow(by: max(shape.size.height, 0))
        guard count > 0, !overflow else { throw BitmapError.unusable(shape.size) }
        guard let memory = PixelMemory(count: count, zeroed: zeroed) else {
            throw BitmapError.outOfMemory(bytes: count)
        }
        base = memory.base
        self.count = count
        self.shape = shape
        own = memory
        PixelStorage.adviseLargePages(base, count)
    }

    /// Advises the system to use pages of 2 MiB where a buffer has room for them: page faults would dominate the time
    /// of writing a large image (12,000 for 48 MB).
    private static func adviseLargePages(_ base: UnsafeMutableRawPointer, _ count: Int) {
        let page = 2 << 20
        guard count >= 2 * page else { return }
        let start = (UInt(bitPattern: base) + UInt(clamping: page - 1)) & ~UInt(clamping: page - 1)
        let end = (UInt(bitPattern: base) + UInt(clamping: count)) & ~UInt(clamping: page - 1)
        guard end > start else { return }
        // Only advice; nothing depends on it.
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
