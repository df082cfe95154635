extension ThumbHash {
    /// One channel: its average, and a triangle of waves over `across` × `down`, row by row, without the constant one.
    struct Channel: Hashable, Sendable {
        struct Wave: Hashable, Sendable {
            let x: Int
            let y: Int
            let height: Double
        }

        let average: Double
        let waves: [Wave]

        /// Reads the waves; fails if the bytes end before.
        init?(_ average: Double, _ across: Int, _ down: Int, _ scale: Double, _ nibbles: inout Nibbles) {
            self.average = average
            var waves: [Wave] = []
            for y in 0..<down {
                var x = y == 0 ? 1 : 0
                while x * down < across * (down - y) {
                    guard let nibble = nibbles.next() else { return nil }
                    // Twice, by the inverse of the cosine transform.
                    waves.append(Wave(x: x, y: y, height: (Double(nibble) / 7.5 - 1) * scale * 2))
                    x += 1
                }
            }
            self.waves = waves
        }

        func value(_ x: Int, _ y: Int, _ across: CosineTable, _ down: CosineTable) -> Double {
            var sum = average
            for wave in waves { sum += wave.height * across[x, wave.x] * down[y, wave.y] }
            return sum
        }
    }

    /// Half bytes, the lower half first.
    struct Nibbles {
        let bytes: [UInt8]
        var at: Int

        mutating func next() -> UInt8? {
            guard at / 2 < bytes.count else { return nil }
            defer { at += 1 }
            return bytes[at / 2] >> (at % 2 * 4) & 15
        }
    }
}
