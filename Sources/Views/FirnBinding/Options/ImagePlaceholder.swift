public import FirnImage
public import FoundationEssentials

/// The content of a view while its image loads, or after a failure.
public enum ImagePlaceholder: Sendable {
    /// An image.
    case image(Bitmap)
    /// A color, such as the image's dominant one.
    case color(SRGBColor)
    /// A BlurHash, decoded in the call; see ``/FirnProcessing/BlurHash``. A damaged one shows nothing.
    case blurHash(String)
    /// A ThumbHash, decoded in the call; see ``/FirnProcessing/ThumbHash``. A damaged one shows nothing.
    case thumbHash(Data)
    /// Keeps the current content until there is a preview or the image.
    case keep
}
