import FirnSystem

extension ImageProcessors {
    /// Applies a color matrix: gray, sepia, tints, brightness, contrast, saturation, hue.
    ///
    /// Works on encoded colors, as is common for these effects. Half floats, which are linear light, are encoded first
    /// and may exceed 0...1; all other colors are clamped to 0...1. Alpha is unchanged.
    package struct ColorMatrix: ImageProcessor, Hashable {
        /// For each new component, the weights of the old red, green and blue, and an offset, where 1 is a full
        /// component.
        let rows: [[Double]]

        /// Changes nothing.
        package static let unchanged = scaled(1, offset: 0)

        /// The weights of red, green and blue in luma. Source: ITU-R BT.709-6 §3.2.
        private static let luma = [0.2126, 0.7152, 0.0722]

        /// Creates a processor that applies a custom matrix; each argument is one of ``rows``.
        package init(red: SIMD4<Double>, green: SIMD4<Double>, blue: SIMD4<Double>) {
            rows = [red, green, blue].map { [$0.x, $0.y, $0.z, $0.w] }
        }

        private init(rows: [[Double]]) { self.rows = rows }

        /// Removes color and keeps lightness. `amount` interpolates from no change (0) to gray (1).
        package static func grayscale(_ amount: Double = 1) -> ColorMatrix {
            ColorMatrix(rows: [luma + [0], luma + [0], luma + [0]]).mixed(amount)
        }

        /// Applies a sepia tone, with the usual coefficients (W3C Filter Effects 1 §8.3). `amount` interpolates from
        /// no change (0) to full sepia (1).
        package static func sepia(_ amount: Double = 1) -> ColorMatrix {
            ColorMatrix(rows: [
                [0.393, 0.769, 0.189, 0], [0.349, 0.686, 0.168, 0], [0.272, 0.534, 0.131, 0],
            ]).mixed(amount)
        }

        /// Shows the image in shades of `color`, ignoring its alpha. `amount` interpolates from no change (0) to a full
        /// tint (1).
        package static func tint(_ color: SRGBColor, _ amount: Double = 1) -> ColorMatrix {
            duotone(dark: SRGBColor(red: 0, green: 0, blue: 0), light: color, amount)
        }

        /// Replaces black with `dark`, white with `light`, and other colors with mixtures of these by their lightness.
        /// `amount` interpolates from no change (0) to only these mixtures (1).
        package static func duotone(dark: SRGBColor, light: SRGBColor, _ amount: Double = 1) -> ColorMatrix {
            let pairs = [(dark.red, light.red), (dark.green, light.green), (dark.blue, light.blue)]
            return ColorMatrix(
                rows: pairs.map { dark, light in
                    luma.map { $0 * ((Double(light) - Double(dark)) / 255) } + [Double(dark) / 255]
                }
            ).mixed(amount)
        }

        /// Adds `amount` to all components: -1 makes everything black, 1 white.
        package static func brightness(_ amount: Double) -> ColorMatrix { scaled(1, offset: amount) }

        /// Scales the distance of all colors from middle gray: 0 makes everything gray, 1 changes nothing.
        package static func contrast(_ factor: Double) -> ColorMatrix { scaled(factor, offset: (1 - factor) / 2) }

        /// Scales the saturation: 0 keeps only lightness, 1 changes nothing, 2 doubles colorfulness.
        package static func saturation(_ factor: Double) -> ColorMatrix { grayscale(1 - factor) }

        /// Rotates the hue of all colors and keeps lightness. Source: W3C Filter Effects 1 §9.6 (hueRotate), with
        /// BT.709's luma.
        package static func hue(degrees: Double) -> ColorMatrix {
            let (cosine, sine) = (cos(degrees * Double.pi / 180), sin(degrees * Double.pi / 180))
            let turn = [
                [-luma[0], -luma[1], 1 - luma[2]], [0.143, 0.140, -0.283], [-(1 - luma[0]), luma[1], luma[2]],
            ]
            func weight(_ row: Int, _ column: Int) -> Double {
                let identity = row == column ? 1.0 : 0.0
                return luma[column] + cosine * (identity - luma[column]) + sine * turn[row][column]
            }
            return ColorMatrix(rows: (0..<3).map { row in (0..<3).map { weight(row, $0) } + [0] })
        }

        package static var inverted: ColorMatrix { contrast(-1) }

        private static func scaled(_ factor: Double, offset: Double) -> ColorMatrix {
            ColorMatrix(rows: (0..<3).map { row in (0..<3).map { $0 == row ? factor : 0 } + [offset] })
        }

        /// Returns the interpolation between the identity (0) and this matrix (1).
        private func mixed(_ amount: Double) -> ColorMatrix {
            ColorMatrix(
                rows: (0..<3).map { row in
                    (0..<4).map { Self.unchanged.rows[row][$0] * (1 - amount) + rows[row][$0] * amount }
                })
        }

        package var usesSRGB: Bool { true }

        /// The identifier with all twelve numbers: `firn/color?m=1/0/0/0/0/1/0/0/0/0/1/0`.
        package var identifier: String {
            "firn/color?m=" + rows.joined().map { ProcessorName.number($0) }.joined(separator: "/")
        }

        /// Returns the image in its new colors.
        package func processed(_ image: Bitmap, _ run: ProcessingRun) throws -> Bitmap {
            for number in rows.joined() { try run.require(number, -1000...1000, "a weight") }
            if self == .unchanged { return image }
            return try run.make(like: image) { source, target in try change(source, into: target, run) }
        }

        // MARK: Fusion

        /// Returns the single matrix that applies this one first and then `next`.
        func followed(by next: ColorMatrix) -> ColorMatrix {
            ColorMatrix(
                rows: next.rows.map { row in
                    (0..<4).map { column in
                        (0..<3).reduce(column == 3 ? row[3] : 0) { $0 + row[$1] * rows[$1][column] }
                    }
                })
        }

        /// True if no color of an image can leave 0...1, so that nothing is clamped.
        var neverCuts: Bool {
            rows.allSatisfy { row in
                let most = row[0..<3].reduce(row[3]) { $0 + max(0, $1) }
                let least = row[0..<3].reduce(row[3]) { $0 + min(0, $1) }
                return most <= 1 + 1e-9 && least >= -1e-9
            }
        }

        /// The maximum change of a component, in levels, if all old components change by one level.
        var gain: Double {
            rows.map { row in row[0..<3].reduce(0) { $0 + abs($1) } }.max() ?? 0
        }
    }
}
