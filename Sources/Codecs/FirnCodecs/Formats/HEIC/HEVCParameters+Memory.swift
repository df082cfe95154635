import CFirnCodecs
import FirnImage

extension HEVCParameters {
    /// The bytes that a decoder holds: the kept images, each with libde265's data about its blocks, one image that is
    /// being filtered, and one that is ready.
    var workingBytes: Int { imageBytes * (keptImages + 2) + (2 << 20) }

    /// The bytes of one image with libde265's data about its blocks.
    private var imageBytes: Int {
        // Sides have at most 17 bits.
        let area = codedSize.area
        let samples = [2, 3, 4, 6][chromaFormat] * area / 2
        return samples * (max(lumaBits, chromaBits) > 8 ? 2 : 1) + area * 5 / 4
    }

    /// Returns the bytes that libde265 holds for the largest image item of a file, by the size that its stream states.
    ///
    /// The size that the file declares may be smaller; libheif compares the two once the image is decoded.
    static func stillBytes(of chain: ByteChain) -> Int {
        let meta = ISOBox.boxes(in: 0..<chain.count, of: chain).first("meta")?.children(of: chain, after: 4)
        let list = meta?.first("iprp")?.children(of: chain).first("ipco")?.children(of: chain) ?? []
        return list.reduce(0) { most, box in
            guard box.type == "hvcC", let parameters = HEVCConfiguration(box, of: chain)?.parameters else {
                return most
            }
            return max(most, parameters.imageBytes * 2 + (4 << 20))
        }
    }

    /// The bytes of the planes of one image, with rows at multiples of `FIRN_ROW_ALIGNMENT` bytes.
    var planesLength: Int {
        func length(_ width: Int, _ height: Int, bits: Int) -> Int {
            let bytes = width * (bits > 8 ? 2 : 1)
            return (bytes + FIRN_ROW_ALIGNMENT - 1) / FIRN_ROW_ALIGNMENT * FIRN_ROW_ALIGNMENT * height
        }
        let luma = length(codedSize.width, codedSize.height, bits: lumaBits)
        if chromaFormat == 0 { return luma }
        let width = chromaFormat == 3 ? codedSize.width : (codedSize.width + 1) / 2
        let height = chromaFormat == 1 ? (codedSize.height + 1) / 2 : codedSize.height
        return luma + 2 * length(width, height, bits: chromaBits)
    }
}
