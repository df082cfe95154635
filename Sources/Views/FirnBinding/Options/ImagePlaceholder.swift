/// The content of a view while its image loads, or after a failure.
public enum ImagePlaceholder: Sendable {
    /// An image.
    case image(Bitmap)
    /// A color, such as the image's dominant color.
    case color(SRGBColor)
    /// A BlurHash, decoded within the call; see ``/FirnProcessing/BlurHash``. A damaged hash shows nothing.
    case blurHash(String)
    /// A ThumbHash, decoded within the call; see ``/FirnProcessing/ThumbHash``. A damaged hash shows nothing.
    case thumbHash(Data)
    /// Keeps the current content until a preview or the image is ready.
    case keep
}
