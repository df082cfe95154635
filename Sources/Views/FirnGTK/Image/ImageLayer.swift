#if GTK
import CGTK4

/// The content that a widget shows at one time.
@MainActor
enum ImageLayer {
    case nothing
    case color(GdkRGBA)
    case texture(ImageTexture)
    case animation(AnimationPlayer)

    /// Creates the layer for a binding's content; empty if the texture cannot be created.
    init(_ content: DisplayedContent) {
        if let image = content.image {
            self = (try? ImageTexture.of(image)).map { .texture($0) } ?? .nothing
        } else if let color = content.color {
            self = .color(GdkRGBA(color))
        } else {
            self = .nothing
        }
    }

    /// Returns whether both layers show the same content, so that no repainting is needed.
    func isSame(as other: ImageLayer) -> Bool {
        switch (self, other) {
        case (.nothing, .nothing): true
        case (.texture(let a), .texture(let b)): a.pointer == b.pointer
        case (.animation(let a), .animation(let b)): a === b
        case (.color(let a), .color(let b)):
            a.red == b.red && a.green == b.green && a.blue == b.blue && a.alpha == b.alpha
        default: false
        }
    }

    /// Returns a color to paint over the next image when the transition has reached `progress`; `nil` if the layer is
    /// not an opaque color. Same pixels as a cross-fade, without its two off-screen passes.
    func veil(_ progress: Double) -> ImageLayer? {
        guard case .color(var color) = self, color.alpha == 1 else { return nil }
        color.alpha = Float(1 - min(1, max(0, progress)))
        return .color(color)
    }

    /// Returns whether the layer is opaque in the whole area, except for round corners.
    func covers(_ area: PaintArea, mode: ImageContentMode) -> Bool {
        switch self {
        case .nothing, .animation: return false
        case .color(let color): return color.alpha == 1
        case .texture(let texture):
            guard texture.isOpaque else { return false }
            var (image, bounds) = (area.rectangle(of: texture.size, mode: mode), area.bounds)
            return graphene_rect_contains_rect(&image, &bounds)
        }
    }

    /// Paints the layer: a color fills the area, an image is positioned by the content mode. Rounds the corners of the
    /// painted content, also of an image that is smaller than the area.
    func paint(into snapshot: OpaquePointer, _ area: PaintArea, mode: ImageContentMode) {
        switch self {
        case .nothing: break
        case .color(var color):
            area.clip(to: area.bounds, in: snapshot) {
                var bounds = area.bounds
                gtk_snapshot_append_color(snapshot, &color, &bounds)
            }
        case .texture(let texture): ImageLayer.paint(texture, into: snapshot, area, mode)
        case .animation(let player):
            if let texture = player.texture { ImageLayer.paint(texture, into: snapshot, area, mode) }
        }
    }

    private static func paint(
        _ texture: ImageTexture, into snapshot: OpaquePointer, _ area: PaintArea, _ mode: ImageContentMode
    ) {
        var bounds = area.rectangle(of: texture.size, mode: mode)
        area.clip(to: bounds, in: snapshot) {
            // A linear filter would skip pixels.
            let isMuchSmaller = Double(bounds.size.width) * area.scale * 2 < Double(texture.size.width)
            let filter =
                area.isPixelated ? FIRN_FILTER_NEAREST : isMuchSmaller ? FIRN_FILTER_MIPMAPS : FIRN_FILTER_LINEAR
            firn_gtk_snapshot_append_texture(snapshot, texture.pointer, &bounds, filter)
        }
    }
}

extension GdkRGBA {
    init(_ color: SRGBColor) {
        self.init(
            red: Float(color.red) / 255, green: Float(color.green) / 255, blue: Float(color.blue) / 255,
            alpha: Float(color.alpha) / 255)
    }
}

extension graphene_rect_t {
    init(x: Double, y: Double, width: Double, height: Double) {
        self.init(
            origin: graphene_point_t(x: Float(x), y: Float(y)),
            size: graphene_size_t(width: Float(width), height: Float(height)))
    }
}
#endif
