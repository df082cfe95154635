package import FoundationEssentials

/// A part of EXIF data that says more of a person than an image needs.
package enum EXIFPart: String, Hashable, Sendable, CaseIterable {
    /// The place: the directory of GPS fields.
    case gps
    /// The owner's name, the serial numbers of camera and lens, and the maker notes, which repeat them.
    case serials

    /// Returns EXIF data without some parts; `nil` if the data are damaged, so that no part is left by mistake.
    ///
    /// Source: EXIF 2.32 §4.6.3 (0x8825), §4.6.5 D (0x927C) and H (0xA430, 0xA431, 0xA435); DNG 1.7 (0xC62F).
    package static func removing(_ parts: Set<EXIFPart>, from exif: Data) -> Data? {
        guard !parts.isEmpty else { return exif }
        guard var directories = EXIFDirectories(exif) else { return nil }
        let main = directories.first
        let details = directories.value(0x8769, in: main)
        guard directories.isWhole(main), details == nil || directories.isWhole(details) else { return nil }
        // Order: the details first, because the removal from the main directory moves nothing but its own entries.
        if parts.contains(.serials) {
            directories.remove([0x927C, 0xA430, 0xA431, 0xA435], from: details)
            directories.remove([0xC62F], from: main)
        }
        if parts.contains(.gps) { directories.remove([0x8825], from: main, areDirectories: true) }
        return Data(directories.bytes)
    }
}
