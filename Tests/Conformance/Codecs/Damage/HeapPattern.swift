import FirnSystem

@testable import FirnImage

/// Fills the memory that decoders get with a byte, so that an unwritten pixel shows it.
enum HeapPattern {
    /// glibc's option that fills what `malloc` hands out, and what `free` takes back.
    private static let perturb: Int32 = -6
    private typealias Option = @convention(c) (Int32, Int32) -> Int32
    private static let option: Option? = dlsym(nil, "mallopt").map { unsafeBitCast($0, to: Option.self) }

    /// Runs `body` with memory that holds `byte`: the heap, and the buffers of images in debug builds.
    static func with<Result>(_ byte: UInt8, _ body: () throws -> Result) rethrows -> Result {
        // glibc inverts the byte in new memory.
        _ = option?(perturb, Int32(~byte))
        defer { _ = option?(perturb, 0) }
        paintSmallBlocks(byte)
        #if DEBUG
        return try PixelMemory.$poison.withValue(byte, operation: body)
        #else
        return try body()
        #endif
    }

    /// Fills the blocks that glibc keeps for the thread, up to 1,032 bytes, which the option does not touch.
    private static func paintSmallBlocks(_ byte: UInt8) {
        var blocks: [UnsafeMutableRawPointer] = []
        blocks.reserveCapacity(7 * 64)
        for size in stride(from: 24, through: 1032, by: 16) {
            for _ in 0..<7 {
                guard let block = malloc(size) else { continue }
                memset(block, Int32(byte), size)
                blocks.append(block)
            }
        }
        for block in blocks { free(block) }
    }
}
