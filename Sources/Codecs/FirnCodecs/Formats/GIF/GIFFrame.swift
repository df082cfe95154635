import FirnImage

/// One frame of a GIF as described by its descriptor and the control extension before it.
struct GIFFrame {
    /// The left and top edge on the logical screen.
    var x: Int
    var y: Int
    var size: PixelSize
    var isInterlaced: Bool
    /// The range of the frame's own color table, three bytes per color; empty if it has none.
    var palette: Range<Int>
    /// The offset of the compressed pixels: the code size, followed by the sub-blocks.
    var dataOffset: Int
    var control = Control()

    /// The content of a graphic control extension, which applies to the next frame.
    struct Control {
        /// The duration in milliseconds; `nil` without an extension.
        var duration: Int?
        var disposal = StoredFrame.Disposal.keep
        /// The index of transparent pixels, through which the canvas shows.
        var transparentIndex: Int?
    }

    /// The frame in the form that all formats share.
    var stored: StoredFrame {
        StoredFrame(
            x: x, y: y, size: size, duration: control.duration, disposal: control.disposal,
            hasAlpha: control.transparentIndex != nil)
    }
}
