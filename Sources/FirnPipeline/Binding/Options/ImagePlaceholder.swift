public import FirnImage
public import FoundationEssentials

/// What a view shows while there is no picture, or instead of one that failed.
public enum ImagePlaceholder: Sendable {
    /// A picture.
    case image(Bitmap)
    /// A colour, such as the picture's dominant one.
    case color(SRGBColor)
    /// A BlurHash, decoded on the spot; see ``/FirnImage/BlurHash``. One that is damaged shows nothing.
    case blurHash(String)
    /// A ThumbHash, decoded on the spot; see ``/FirnImage/ThumbHash``. One that is damaged shows nothing.
    case thumbHash(Data)
    /// What is shown stays until there is something better.
    case keep
}
