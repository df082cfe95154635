import FoundationEssentials

extension EncodingMetadata {
    /// The metadata of a source that a new file gets.
    public enum Policy: String, Hashable, Sendable, CaseIterable {
        /// None, and no color profile.
        case none
        /// The color profile if colors are not sRGB.
        case profile
        /// The color profile, the authors and the rights.
        case copyright
        /// Everything: EXIF data, XMP and IPTC records.
        case all
        /// Everything but the location: coordinates, and names of places.
        case allButPlace = "all-but-place"
    }

    /// Creates the metadata that a policy keeps of a file.
    ///
    /// Sizes, orientation and thumbnails become those of the new image. A damaged packet is left out.
    ///
    /// - Parameters:
    ///   - policy: the metadata to keep.
    ///   - source: the properties of the source.
    ///   - pixelsMoved: whether the image was cropped or turned, so that its regions (faces) have other places. The
    ///     orientation is taken into account anyway. Default: false.
    public init(keeping policy: Policy, of source: ImageProperties, pixelsMoved: Bool = false) {
        self.init(keepsColorProfile: policy != .none)
        switch policy {
        case .none, .profile: return
        case .copyright:
            guard let notice = CopyrightNotice(source) else { return }
            exif = notice.exif
        case .all, .allButPlace:
            let change = MetadataChange(policy == .all ? [] : [.removePlace])
            exif = source.exif.flatMap { change.exif($0) }
            iptc = source.iptc.flatMap { change.iptc($0) }
            guard var packet = source.xmp else { return }
            if let more = source.extendedXMP, let whole = XMPEditor.joined(packet, more) { packet = whole }
            packet = change.xmp(packet) ?? Data()
            let isMoved = pixelsMoved || source.orientation != .up
            xmp = XMPEditor(packet)?.edited(removing: Self.untrue + (isMoved ? ["mwg-rs:*"] : []))
        }
    }

    /// The properties that describe the old file: sizes, orientation, resolution, thumbnails, the gain map.
    private static let untrue = [
        "tiff:Orientation", "tiff:ImageWidth", "tiff:ImageLength", "tiff:XResolution", "tiff:YResolution",
        "tiff:ResolutionUnit", "tiff:Compression", "tiff:PhotometricInterpretation", "tiff:BitsPerSample",
        "exif:PixelXDimension", "exif:PixelYDimension", "exif:ColorSpace", "photoshop:ICCProfile", "xmp:Thumbnails",
        "xmpNote:HasExtendedXMP", "hdrgm:*", "Container:*",
    ]

    /// Returns an encoded file with the packets that its encoder did not write.
    ///
    /// - Parameter size: the size of the image.
    func added(to file: Data, of format: ImageFormat, size: PixelSize) throws(ImageError) -> Data {
        var packets = MetadataPackets(xmp: xmp)
        if MetadataFile.formatsWithRecords.contains(format) {
            packets.iptc = iptc
        } else if let iptc {
            packets.xmp = ImageMetadata.packet(xmp, adding: iptc) ?? xmp
        }
        if format == .tiff { packets.exif = exif.flatMap { UprightEXIF.data($0, for: size, resolution) } }
        return try MetadataFile.replacing(packets, in: file, of: format)
    }
}
