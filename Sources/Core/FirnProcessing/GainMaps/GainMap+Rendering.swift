internal import CFirnProcessing
import FirnSync
import FirnSystem
import FoundationEssentials

extension GainMap {
    /// Returns the base with as much of the map as a display can show.
    ///
    /// The result has half floats of linear light with the primaries of the base, in which 1 is the white of SDR. The
    /// map is enlarged linearly. Runs on the calling thread and on idle threads.
    ///
    /// - Parameters:
    ///   - base: the image of the map. Its transfer function is taken for that of sRGB, unless it has half floats.
    ///   - headroom: the brightness of the display's white relative to the white of SDR. At 1 and below, the result is
    ///     the base itself.
    ///   - format: `rgbaHalfPremultiplied` (the default), or `rgba16Straight` for perceptual quantization with the
    ///     primaries of BT.2020, in which the white of SDR has 203 cd/m². Half floats of a base in another color space
    ///     than sRGB would give wrong colors.
    ///   - cancellation: checked between stripes of rows.
    /// - Throws: ``/FirnImage/ImageError`` if there is no memory, the format is another one, or the flag is set.
    public func applied(
        to base: Bitmap, headroom: Double, as format: PixelFormat = .rgbaHalfPremultiplied,
        cancellation: CancellationFlag = CancellationFlag()
    ) throws(ImageError) -> Bitmap {
        guard headroom > 1 else { return base }
        let context = ImageProcessingContext(
            cancellation: cancellation, limits: ImageLimits(), stripes: StripeCrew.shared)
        return try ImageError.at(.processing) {
            let run = ProcessingRun(name: "gain map", context: context)
            guard [.rgbaHalfPremultiplied, .rgba16Straight].contains(format) else {
                throw run.wrong("\(format) holds no more light than white")
            }
            // Colors outside of the base's primaries may be inside of those of BT.2020.
            let keepsNegative = format == .rgba16Straight
            let light = try applied(to: base, weight: weight(at: headroom), keepsNegative: keepsNegative, run)
            return format == .rgba16Straight ? try light.perceptuallyQuantized(run) : light
        }
    }

    /// - Parameter keepsNegative: whether light below 0 stays. Otherwise, it stays only where the base has it.
    private func applied(
        to base: Bitmap, weight: Double, keepsNegative: Bool, _ run: ProcessingRun
    ) throws -> Bitmap {
        let gains = gains(weight: weight)
        // Without a weight, the offsets would change the base.
        let (first, second) = weight == 0 ? (.zero, .zero) : (metadata.baseOffset, metadata.alternateOffset)
        let (added, removed) = (GainMap.lanes(first), GainMap.lanes(second))
        let columns = MapPlace.of(image.size.width, for: base.size.width)
        let rows = MapPlace.of(image.size.height, for: base.size.height)
        let light = base.format == .rgbaHalfPremultiplied ? [] : LinearLight.ofWords
        let isOfBytes = base.isOpaque && base.format.bytesPerPixel <= 4
        let lightOfBytes = isOfBytes ? (0..<256).map { light[257 * $0] } : []
        let lowest = SIMD4<Float>(repeating: keepsNegative ? -.infinity : 0)
        let width = base.size.width
        return try run.make(from: base, size: base.size, format: .rgbaHalfPremultiplied, isOpaque: base.isOpaque) {
            (source, target) in
            try image.withRows { map in
                try run.stripes(base.size.height, pixels: width) { stripe in
                    FloatRow.with(4 * width) { floats in
                        var mixed = [SIMD4<Float>](repeating: .zero, count: map.size.width)
                        for y in stripe {
                            let (upper, lower) = (map.row(rows[y].first), map.row(rows[y].second))
                            GainCurves.mix(upper, lower, rows[y].part, into: &mixed)
                            if isOfBytes {
                                firn_row_load8(source.format.layout, source.row(y), lightOfBytes, floats, width)
                            } else {
                                source.load(y, count: width, into: floats)
                                if !light.isEmpty { firn_row_through_table(floats, light, width) }
                            }
                            for x in 0..<width {
                                let place = columns[x]
                                let (left, right) = (mixed[place.first], mixed[place.second])
                                let gain = GainMap.exp2(gains.logarithms(of: left + (right - left) * place.part))
                                // Safety: the row has four floats for each pixel.
                                let pixel = UnsafeMutableRawPointer(floats + 4 * x)
                                let color = pixel.loadUnaligned(as: SIMD4<Float>.self)
                                let product = color * gain
                                let changed = product + (added * gain - removed) * color.w
                                let least = product.replacing(with: lowest, where: product .> lowest)
                                pixel.storeBytes(
                                    of: changed.replacing(with: least, where: changed .< least),
                                    as: SIMD4<Float>.self)
                            }
                            target.store(floats, y, count: width)
                        }
                    }
                }
            }
        }
    }

    /// Returns red, green, blue, and 0 for alpha.
    private static func lanes(_ numbers: SIMD3<Double>) -> SIMD4<Float> { SIMD4(SIMD3<Float>(numbers), 0) }

    private func gains(weight: Double) -> GainCurves {
        let range = metadata.maximum - metadata.minimum
        let isLinear = metadata.gamma == .one
        let steps = GainCurves.steps
        let tables = (0..<3).map { channel in
            (0..<(isLinear ? 0 : 255 * steps + 1)).map { step in
                let part = pow(Double(step) / Double(255 * steps), 1 / metadata.gamma[channel])
                return Float((metadata.minimum[channel] + range[channel] * part) * weight)
            }
        }
        return GainCurves(
            least: GainMap.lanes(metadata.minimum * weight), slope: GainMap.lanes(range * weight / 255),
            red: tables[0], green: tables[1], blue: tables[2])
    }

    /// Returns powers of two, with a relative error of less than 2^-20, for exponents from -126 to 126.
    ///
    /// - Source: Taylor's polynomial of degree 6, for the difference to the nearest whole exponent.
    @inline(__always)
    static func exp2(_ exponents: SIMD4<Float>) -> SIMD4<Float> {
        // Adding 1.5 · 2^23 leaves the whole exponent in the low bits, rounded.
        let shift = SIMD4<Float>(repeating: 0x1.8p23)
        let shifted = exponents + shift
        let x = (exponents - (shifted - shift)) * 0.693_147_18
        var power = x * (1.0 / 720) + 1.0 / 120
        for factor: Float in [1.0 / 24, 1.0 / 6, 0.5, 1, 1] { power = power * x + factor }
        let whole = unsafeBitCast(shifted, to: SIMD4<Int32>.self) &- unsafeBitCast(shift, to: SIMD4<Int32>.self)
        return power * unsafeBitCast((whole &+ 127) &<< 23, to: SIMD4<Float>.self)
    }

    /// Returns the map of a part of the base, in the map's resolution.
    func cropped(to area: PixelArea, of size: PixelSize, _ run: ProcessingRun) throws -> GainMap? {
        if area == PixelArea(size) { return self }
        func part(_ range: Range<Int>, _ whole: Int, _ side: Int) -> Range<Double> {
            func place(_ pixel: Int) -> Double { Double(pixel) * Double(side) / Double(whole) }
            return place(range.lowerBound)..<place(range.upperBound)
        }
        let columns = part(area.columns, size.width, image.size.width)
        let rows = part(area.rows, size.height, image.size.height)
        func pixels(_ range: Range<Double>) -> Int {
            max(1, Int(saturating: (range.upperBound - range.lowerBound).rounded()))
        }
        let size = PixelSize(width: pixels(columns), height: pixels(rows))
        let image = try image.resized(
            columns: columns, rows: rows, to: size, cancellation: run.context.cancellation)
        return GainMap(image: image, metadata: metadata)
    }

    func turned(_ orientation: ImageOrientation, _ run: ProcessingRun) throws -> GainMap? {
        try GainMap(image: image.turned(orientation, run), metadata: metadata)
    }
}

/// The logarithms of the gains of a map's values, which are interpolated before their gamma is removed.
private struct GainCurves: Sendable {
    /// The entries of a table for each value of a byte.
    static let steps = 16

    let least: SIMD4<Float>
    let slope: SIMD4<Float>
    /// Empty if no channel has a gamma: logarithms are linear then.
    let red: [Float]
    let green: [Float]
    let blue: [Float]

    /// - Parameter values: from 0 to 255.
    @inline(__always)
    func logarithms(of values: SIMD4<Float>) -> SIMD4<Float> {
        if red.isEmpty { return least + values * slope }
        let steps = values * Float(GainCurves.steps) + 0.5
        return SIMD4(red[Int(steps.x)], green[Int(steps.y)], blue[Int(steps.z)], 0)
    }

    /// Fills `target` with the values of a row between two rows of a map in `rgb8`.
    static func mix(
        _ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer, _ part: Float, into target: inout [SIMD4<Float>]
    ) {
        // Safety: a row has three bytes for each of its pixels.
        func values(_ row: UnsafeRawPointer, _ x: Int) -> SIMD4<Float> {
            let bytes = (row + 3 * x).assumingMemoryBound(to: UInt8.self)
            return SIMD4(Float(bytes[0]), Float(bytes[1]), Float(bytes[2]), 0)
        }
        for x in target.indices {
            let first = values(upper, x)
            target[x] = first + (values(lower, x) - first) * part
        }
    }
}

/// The two columns or rows of a map between which a pixel of the base lies.
private struct MapPlace: Sendable {
    let first: Int
    let second: Int
    /// The part of the second one, from 0 to 1.
    let part: Float

    /// Returns the places of all columns or rows of a base.
    static func of(_ count: Int, for pixels: Int) -> [MapPlace] {
        (0..<pixels).map { pixel in
            let center = (Double(pixel) + 0.5) * Double(count) / Double(pixels) - 0.5
            let place = min(max(center, 0), Double(count - 1))
            let first = Int(saturating: place.rounded(.down))
            return MapPlace(
                first: first, second: min(first + 1, count - 1), part: Float(place - Double(first)))
        }
    }
}

extension Bitmap {
    /// Converts half floats of linear light from sRGB's primaries to those of BT.2020, and encodes them with PQ.
    ///
    /// - Source: ITU-R BT.2100-2 table 4 (PQ); ITU-R BT.2408-7 §2 (203 cd/m²); ITU-R BT.2087-0 §4 (the matrix).
    fileprivate func perceptuallyQuantized(_ run: ProcessingRun) throws -> Bitmap {
        var description = ColorDescription()
        (description.primariesCode, description.transferCode) = (9, 16)
        let (width, words) = (size.width, Bitmap.quantized)
        try run.admit(size, .rgba16Straight)
        return try withRows { source in
            try Bitmap(
                size: size, format: .rgba16Straight, isOpaque: isOpaque,
                colorProfile: ColorProfile(icc: Data(), describing: description)
            ) { pixels in
                let target = TargetRows(pixels)
                try run.stripes(size.height, pixels: width) { stripe in
                    for y in stripe {
                        let (from, to) = (source.row(y), target.row(y))
                        for x in 0..<width {
                            // Safety: pixels of both rows have eight bytes.
                            let color = HalfFloats.numbers((from + 8 * x).load(as: SIMD4<UInt16>.self))
                            let straight = color / max(color.w, 0x1p-24)
                            var mixed = SIMD4<Float>(0.627404, 0.069097, 0.016391, 0) * straight.x
                            mixed += SIMD4(0.329283, 0.919540, 0.088013, 0) * straight.y
                            mixed += SIMD4(0.043313, 0.011362, 0.895595, 0) * straight.z
                            let halves = HalfFloats.halves(mixed.replacing(with: 0, where: mixed .< 0))
                            let pixel = SIMD4(
                                words[Int(halves.x)], words[Int(halves.y)], words[Int(halves.z)],
                                UInt16(truncatingIfNeeded: Int(min(max(color.w, 0), 1) * 65_535 + 0.5)))
                            (to + 8 * x).storeBytes(of: pixel, as: SIMD4<UInt16>.self)
                        }
                    }
                }
            }
        }
    }

    /// The PQ values of all half floats that are not negative; 1 has 203 cd/m².
    private static let quantized: [UInt16] = (0..<UInt16(0x8000)).map { bits in
        let light = Double(Float(Float16(bitPattern: bits))) * 203 / 10_000
        let power = pow(min(light.isNaN ? 1 : light, 1), 2610.0 / 16_384)
        let value = pow((3424.0 / 4096 + 2413.0 / 128 * power) / (1 + 2392.0 / 128 * power), 2523.0 / 32)
        return UInt16(saturating: (value * 65_535).rounded())
    }
}
