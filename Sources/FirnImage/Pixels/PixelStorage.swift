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
    /// Entries of caches that keep the picture.
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
