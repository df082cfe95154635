import FirnImage
import FoundationEssentials

/// Files with the features that the images of browsers' tests have, for machines without the corpus.
///
/// Each maker writes its file field by field, so that the pixels are known without a decoder. All have the size of
/// ``GeneratedPixels``, and most its six blocks. Features that other tests cover with files of their own:
///
/// | feature | test |
/// |---|---|
/// | PNG: filters; compressed texts; order of color chunks | `PNGAgreementTests`, `PNGMetadataTests` |
/// | PNG: CgBI and other unknown critical chunks are refused | `PNGMetadataTests` |
/// | JPEG: arithmetic coding; 12 bits, lossless and hierarchical frames are named in errors | `JPEGDecoderTests` |
/// | JPEG: scan scripts with all coefficients, damage | `JPEGEighthTests`, `SequentialReducedTests` |
/// | JPEG: profile in several segments; inks with a profile | `JPEGColorTests` |
/// | JPEG: gain maps, several images in a file | `GainMapFileTests`, `HighDynamicRangeTests`, `JPEGMetadataTests` |
/// | orientation in every format that stores one | `OrientationMatrixTests` |
/// | GIF: no image, late loop count, frames beyond the screen, odd code sizes | `GIFDecoderTests` |
/// | APNG: wrong checksums, sequence gaps, frames outside | `APNGDecoderTests` |
/// | WebP: declared and undeclared alpha, damaged frames | `WebPContainerTests` |
/// | BMP: embedded PNG and JPEG, calibrated colors, missing padding | `BMPDecoderTests` |
/// | ICO: choice among images, damaged entries | `ICODecoderTests` |
/// | TIFF: tiles, planes, bit depths, floats, inks, Lab, camera files | the suites of `Formats/TIFF` |
/// | AVIF and HEIC: grids, thumbnails, sequences | `AVIFDecoderTests`, the suites of `Formats/HEIC` |
/// | files cut short or damaged | `CutFileTests`, `DamagedImageTests` |
enum FeatureImages {
    static let all: [GeneratedImage] = png + jpeg + gif + animatedPNG + webp + bitmaps + icons + colors + modern

    /// Returns a still image.
    static func still(
        _ name: String, _ format: ImageFormat, _ data: Data, _ pixels: [UInt8], tolerance: Double = 0
    ) -> GeneratedImage {
        GeneratedImage(name, format, data, [pixels], size: GeneratedPixels.size).expecting {
            $0.hasAlpha = stride(from: 3, to: pixels.count, by: 4).contains { pixels[$0] < 255 }
            $0.tolerance = tolerance
        }
    }

    /// Returns the stored rows of pixels.
    static func rows<Element>(_ pixels: [Element]) -> [[Element]] {
        let length = pixels.count / GeneratedPixels.size.height
        return stride(from: 0, to: pixels.count, by: length).map { Array(pixels[$0..<$0 + length]) }
    }

    /// Returns opaque gray pixels.
    static func gray(_ values: [UInt8]) -> [UInt8] { values.flatMap { [$0, $0, $0, 255] } }
}
