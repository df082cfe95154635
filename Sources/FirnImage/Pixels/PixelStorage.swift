import FirnSystem
import Synchronization

/// How the bytes of a buffer are to be read.
struct PixelShape {
    let size: PixelSize
    let format: PixelFormat
    let bytesPerRow: Int
    var isOpaque: Bool
    let colorProfile: ColorProfile?
}

/// Owner of the memory behind a ``Bitmap``.
///
/// Safety: bytes and shape are written only before the `Bitmap` is handed out, by the one initializer that makes it;
/// after that they are only read, so any thread may hold it. `companion` belongs to the thread that draws.
final class PixelStorage: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let count: Int
    private(set) var shape: PixelShape
    /// Ours to give back; `nil` for somebody else's.
    private let own: PixelMemory?
    private let release: (@Sendable () -> Void)?
    /// Entries of caches that keep the image.
    let keepers = Atomic<Int>(0)
    /// What a toolkit made of the pixels; see ``Bitmap/companion``.
    var companion: UnsafeMutableRawPointer?

    /// Memory of our own.
    ///
    /// - Parameter zeroed: whether it is zeroed; otherwise it holds whatever was there, and every pixel has to be written.
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
        release = nil
        PixelStorage.adviseLargePages(base, count)
    }

    /// Asks the system for pages of 2 MiB where a buffer has room for some: a large image is otherwise written at the
    /// speed of page faults (48 MB: 12,000 of them).
    private static func adviseLargePages(_ base: UnsafeMutableRawPointer, _ count: Int) {
        let page = 2 << 20
        guard count >= 2 * page else { return }
        let start = (UInt(bitPattern: base) + UInt(page - 1)) & ~UInt(page - 1)
        let end = (UInt(bitPattern: base) + UInt(count)) & ~UInt(page - 1)
        guard end > start else { return }
        // Only advice: nothing depends on it.
        _ = madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), MADV_HUGEPAGE)
    }

    /// Memory of somebody else, which holds all rows.
    init(borrowing base: UnsafeMutableRawPointer, _ shape: PixelShape, release: @escaping @Sendable () -> Void) {
        self.base = base
        self.shape = shape
        own = nil
        count = shape.bytesPerRow * shape.size.height
        self.release = release
    }

    func declareOpaque() { shape.isOpaque = true }

    deinit {
        own?.release()
        release?()
    }
}
