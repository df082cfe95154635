internal import FirnSync
internal import FoundationEssentials

extension EXIFDirectories {
    /// Returns the bytes of a value, as many as a list has numbers at most.
    func data(_ tag: Int, in directory: Int?) -> ArraySlice<UInt8>? {
        values(tag, in: directory).map { bytes[$0.range].prefix(TIFFKind.maximumValues) }
    }

    /// Returns numbers of any type; the first fraction with a denominator of 0 ends the list.
    package func numbers(_ tag: Int, in directory: Int?) -> [Double] {
        guard let (kind, range) = values(tag, in: directory), kind != TIFFKind.text, let size = TIFFKind.lengths[kind]
        else { return [] }
        func whole(_ offset: Int, _ size: Int, isSigned: Bool) -> Int? {
            let unused = isSigned ? Int.bitWidth - 8 * size : 0
            return number(offset, size).map { ($0 << unused) >> unused }
        }
        var numbers: [Double] = []
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: size).prefix(TIFFKind.maximumValues) {
            switch kind {
            case 5, 10:
                guard let above = whole(offset, 4, isSigned: kind == 10),
                    let below = whole(offset + 4, 4, isSigned: kind == 10), below != 0
                else { return numbers }
                numbers.append(Double(above) / Double(below))
            case 11: numbers.append(Double(Float(bitPattern: UInt32(truncatingIfNeeded: number(offset, 4) ?? 0))))
            case 12:
                let words = [offset, offset + 4].map { UInt64(clamping: number($0, 4) ?? 0) }
                numbers.append(Double(bitPattern: isBig ? words[0] << 32 | words[1] : words[1] << 32 | words[0]))
            default: numbers.append(Double(whole(offset, size, isSigned: [6, 8, 9].contains(kind)) ?? 0))
            }
        }
        return numbers
    }

    /// The orientation; upright if the data state none.
    ///
    /// Source: EXIF 2.32 §4.6.4 A, tag 0x0112.
    var orientation: ImageOrientation {
        let stated = entries(first).first { $0.tag == 0x0112 }.flatMap { wholes(values(of: $0)).first }
        return stated.flatMap { ImageOrientation(rawValue: $0) } ?? .up
    }

    /// The resolution in pixels per inch; `nil` if the data state none.
    ///
    /// Source: EXIF 2.32 §4.6.4 A, tags 0x011A, 0x011B and 0x0128.
    var resolution: ImageResolution? {
        // 2 is the inch, which is the default; 3 is the centimeter.
        let unit = value(0x0128, in: first) ?? 2
        guard unit == 2 || unit == 3, let across = numbers(0x011A, in: first).first,
            let down = numbers(0x011B, in: first).first, across > 0, down > 0
        else { return nil }
        let perInch = unit == 2 ? 1 : 2.54
        return ImageResolution(horizontal: across * perInch, vertical: down * perInch)
    }

    /// Sets the first value of a tag of fractions.
    private mutating func setFraction(_ tag: Int, to value: Double, in directory: Int?) {
        guard let (kind, range) = values(tag, in: directory), kind == TIFFKind.fraction, value > 0, value < 1e6 else {
            return
        }
        let below = value == value.rounded() ? 1 : 1_000
        put(Int(saturating: (value * Double(below)).rounded()), at: range.lowerBound, 4)
        put(below, at: range.lowerBound + 4, 4)
    }

    /// EXIF data without fields.
    static let empty = Data([0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0])

    /// Adds a resolution, if it is in the usual range and there is none.
    mutating func add(_ resolution: ImageResolution) {
        let usual = 0.01..<1e6
        guard usual.contains(resolution.horizontal), usual.contains(resolution.vertical) else { return }
        func field(_ value: Double) -> NewValue { .fractions([Int(saturating: (value * 1_000).rounded()) * 1_000]) }
        var changed = self
        let unit = EXIFField(tag: 0x0128, type: TIFFKind.short, count: 1, bytes: encoded(2, 2))
        let fields = [
            0x011A: field(resolution.horizontal), 0x011B: field(resolution.vertical), unit.tag: .field(unit),
        ]
        if changed.edit(.main, removing: [], adding: fields) { self = changed }
    }

    /// Replaces the stated resolution.
    mutating func set(_ resolution: ImageResolution) {
        setFraction(0x011A, to: resolution.horizontal, in: first)
        setFraction(0x011B, to: resolution.vertical, in: first)
        set(0x0128, to: 2, in: first)
    }
}

/// Updates EXIF data for an image whose pixels were rotated upright, and perhaps cropped or resized.
///
/// The data are changed in place: maker notes hold undocumented offsets, so nothing may move. The orientation becomes
/// 1, and sizes and resolution become the image's. The thumbnail is removed, because it shows the image before the
/// changes.
///
/// Source: EXIF 2.32 §4.6.4 A (0x0100, 0x0101, 0x0112, 0x011A, 0x011B, 0x0128), §4.6.3 (0x8769), §4.6.5 C (0xA002,
/// 0xA003).
enum UprightEXIF {
    /// - Parameters:
    ///   - exif: `nil` if there are none.
    ///   - resolution: replaces a stated one. Default: `nil`, which leaves it.
    ///   - addsResolution: whether to add the resolution if there is none, for formats that store it nowhere else.
    /// - Returns: `nil` if `exif` is not EXIF data, or there is nothing to write.
    static func data(
        _ exif: Data?, for size: PixelSize, _ resolution: ImageResolution? = nil, addsResolution: Bool = false
    ) -> Data? {
        guard var directories = EXIFDirectories(exif ?? EXIFDirectories.empty) else { return nil }
        // Order: the thumbnail first, because a damaged file may place it anywhere.
        directories.removeThumbnail()
        let first = directories.first
        directories.set(0x0100, to: size.width, in: first)
        directories.set(0x0101, to: size.height, in: first)
        let details = directories.value(0x8769, in: first)
        directories.set(0xA002, to: size.width, in: details)
        directories.set(0xA003, to: size.height, in: details)
        if let resolution {
            if directories.resolution != nil { directories.set(resolution) }
            // Order: behind the sizes, because the directory moves.
            if addsResolution, directories.resolution == nil { directories.add(resolution) }
        }
        // Order: last, because directories of a damaged file may overlap.
        directories.set(0x0112, to: 1, in: directories.first)
        return exif == nil && directories.resolution == nil ? nil : Data(directories.bytes)
    }
}
