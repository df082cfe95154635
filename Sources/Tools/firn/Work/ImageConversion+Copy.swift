import Firn
import FirnReport
import FoundationEssentials

// Copies of files without their metadata.
extension ImageConversion {
    /// Returns a copy of a file with its coded pixels, and without the metadata that `--strip` names; `nil` if the
    /// pixels are to be changed, or if the file cannot be copied.
    func copied(_ file: ImageFile) -> Result? {
        let properties = file.properties
        guard let strip = metadata.strip, isUnchanged(properties), file.damage == nil, let data = file.data() else {
            return nil
        }
        let exif: Data?
        do {
            exif = try StrippedFile.exif(
                without: strip.parts, of: properties.exif, orientation: properties.orientation)
        } catch {
            // Damaged EXIF data may hold the parts somewhere.
            return nil
        }
        guard let copy = StrippedFile.copy(data, format: properties.format, exif: exif),
            let made = try? ImageFile(copy, limits: file.limits), made.shows(properties), made.decodesWhole
        else { return nil }
        return Result(
            data: copy, size: properties.displaySize, frames: properties.frameCount,
            sourceFrames: properties.frameCount, isCopied: true)
    }

    /// Returns whether the options leave the format and the pixels of a file as they are.
    private func isUnchanged(_ properties: ImageProperties) -> Bool {
        let isSameFormat = properties.format == format.format || properties.format == .apng && format == .png
        let hasAllFrames = frames == .automatic || frames == .first && properties.frameCount == 1
        return isSameFormat && hasAllFrames && size == nil && drawingFactor == nil && processors.isEmpty
            && encoding.isDefault
    }
}

extension ImageFile {
    /// True if every frame can be decoded. A file with damaged pixels is encoded again, which tells of them.
    fileprivate var decodesWhole: Bool {
        var options = DecodingOptions()
        for frame in 0..<properties.frameCount {
            options.frame = frame
            guard (try? decode(options)) != nil else { return false }
        }
        return true
    }

    /// Returns whether the file shows the same pixels as one with these properties, as far as its header tells.
    fileprivate func shows(_ other: ImageProperties) -> Bool {
        properties.format == other.format && properties.size == other.size
            && properties.orientation == other.orientation && properties.frameCount == other.frameCount
            && properties.hasAlpha == other.hasAlpha && properties.bitDepth == other.bitDepth
            && properties.colorProfile == other.colorProfile && properties.xmp == nil && damage == nil
    }
}
