import FirnImage

/// One frame of a GIF as its descriptor and the control before it tell.
struct GIFFrame {
    /// Left and top edge on the logical screen.
    var x: Int
    var y: Int
    var size: PixelSize
    var isInterlaced: Bool
    /// Where the frame's own color table stands, three bytes a color; empty if it has none.
    var palette: Range<Int>
    /// The first byte of the compressed pixels: the code size, which the sub-blocks follow.
    var dataOffset: Int
    var control = Control()

    /// What a graphic control extension says of the frame behind it.
    struct Control {
        /// Milliseconds; `nil` without an extension.
        var duration: Int?
        var disposal = StoredFrame.Disposal.keep
        /// The index that lets show what is below.
        var transparentIndex: Int?
    }

    /// The frame as all formats have it.
    var stored: StoredFrame {
        var frame = StoredFrame(size: size)
        frame.x = x
        frame.y = y
        frame.duration = control.duration
        frame.disposal = control.disposal
        frame.hasAlpha = control.transparentIndex != nil
        return frame
    }
}
