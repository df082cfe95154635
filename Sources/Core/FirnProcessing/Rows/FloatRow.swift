internal import CFirnProcessing
internal import FirnImage

/// Allocates rows of pixels as floats: red, green, blue, alpha, multiplied by alpha.
enum FloatRow {
    /// Calls `body` with room for `count` floats, aligned for vectors.
    static func with<Result>(_ count: Int, _ body: (UnsafeMutablePointer<Float>) -> Result) -> Result {
        // On the heap, because a row can be large and the stacks of threads are small.
        let block = UnsafeMutableRawPointer.allocate(byteCount: max(64, count * 4), alignment: 64)
        defer { block.deallocate() }
        return body(block.bindMemory(to: Float.self, capacity: max(16, count)))
    }
}

extension SourceRows {
    /// Reads `count` pixels of row `y`, from column `x` on.
    func load(_ y: Int, from x: Int = 0, count: Int, into floats: UnsafeMutablePointer<Float>) {
        firn_row_load(format.layout, row(y) + x * format.bytesPerPixel, floats, count)
    }
}

extension TargetRows {
    /// Writes `count` pixels of row `y`, from column `x` on.
    func store(_ floats: UnsafePointer<Float>, _ y: Int, from x: Int = 0, count: Int) {
        firn_row_store(format.layout, floats, row(y) + x * format.bytesPerPixel, count)
    }
}
