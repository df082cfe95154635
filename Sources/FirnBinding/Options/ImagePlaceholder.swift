public import FirnImage
public import FoundationEssentials

/// Content for a view while its image loads, or after it failed.
public enum ImagePlaceholder: Sendable {
    /// An image.
    case image(Bitmap)
    /// A color, such as the image's dominant one.
    case color(SRGBColor)
    /// A BlurHash, decoded on the spot; see ``/FirnProcessing/BlurHash``. One that is damaged shows nothing.
    case blurHash(String)
    /// A ThumbHash, decoded on the spot; see ``/FirnProcessing/ThumbHash``. One that is damaged shows nothing.
    case thumbHash(Data)
    /// What is shown stays until there is something better.
    case keep
}
