/// The source offset of each displayed pixel: `start + x·columnStep + y·rowStep`, in bytes.
package struct OrientedWalk: Sendable {
    let start: Int
    let columnStep: Int
    let rowStep: Int
    private let bytesPerPixel: Int

    package init(_ orientation: ImageOrientation, size: PixelSize, bytesPerPixel: Int, bytesPerRow: Int) {
        self.bytesPerPixel = bytesPerPixel
        let steps = orientation.steps
        columnStep = steps.x * bytesPerPixel + steps.y * bytesPerRow
        rowStep = steps.z * bytesPerPixel + steps.w * bytesPerRow
        let lastColumn = min(steps.x, steps.z) < 0 ? (size.width - 1) * bytesPerPixel : 0
        let lastRow = min(steps.y, steps.w) < 0 ? (size.height - 1) * bytesPerRow : 0
        start = lastColumn + lastRow
    }

    /// Writes the displayed rows `rows` of an image that is `width` pixels wide when displayed.
    package func copy(
        from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, bytesPerRow: Int, width: Int,
        rows: Range<Int>
    ) {
        if columnStep == bytesPerPixel {
            for y in rows {
                (target + y * bytesPerRow).copyMemory(
                    from: source + start + y * rowStep, byteCount: width * bytesPerPixel)
            }
            return
        }
        // A tile of 4-byte pixels is 4 KiB, one of 8-byte pixels 8 KiB: source and target fit into the L1 cache.
        let tile = columnStep == -bytesPerPixel ? width : 32
        for top in stride(from: rows.lowerBound, to: rows.upperBound, by: 32) {
            let bottom = min(top + 32, rows.upperBound)
            for left in stride(from: 0, to: width, by: tile) {
                let count = min(tile, width - left)
                for y in top..<bottom {
                    let from = source + start + left * columnStep + y * rowStep
                    let to = target + y * bytesPerRow + left * bytesPerPixel
                    switch bytesPerPixel {
                    case 8: copyEach(UInt64.self, count, from: from, to: to)
                    case 4: copyWords(count, from: from, to: to)
                    default: copyTriples(count, from: from, to: to)
                    }
                }
            }
        }
    }

    @inline(__always)
    private func copyEach<Pixel: BitwiseCopyable>(
        _: Pixel.Type, _ count: Int, from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer
    ) {
        var (source, target) = (source, target)
        for _ in 0..<count {
            target.storeBytes(of: source.loadUnaligned(as: Pixel.self), as: Pixel.self)
            source += columnStep
            target += MemoryLayout<Pixel>.size
        }
    }

    private func copyWords(_ count: Int, from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
        var (source, target, count) = (source, target, count)
        if columnStep == -4 {
            // Four at a time: load, shuffle in the register, store.
            while count >= 4 {
                let pixels = (source - 12).loadUnaligned(as: SIMD4<UInt32>.self)
                target.storeBytes(
                    of: SIMD4(lowHalf: pixels.highHalf.exchanged, highHalf: pixels.lowHalf.exchanged),
                    as: SIMD4<UInt32>.self)
                source -= 16
                target += 16
                count -= 4
            }
        }
        copyEach(UInt32.self, count, from: source, to: target)
    }

    private func copyTriples(_ count: Int, from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
        var (source, target) = (source, target)
        for _ in 0..<count {
            target.storeBytes(of: source.loadUnaligned(as: UInt16.self), as: UInt16.self)
            target.storeBytes(of: source.load(fromByteOffset: 2, as: UInt8.self), toByteOffset: 2, as: UInt8.self)
            source += columnStep
            target += 3
        }
    }
}

extension SIMD2<UInt32> {
    fileprivate var exchanged: SIMD2<UInt32> { SIMD2(y, x) }
}
