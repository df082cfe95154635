package import FirnImage

/// The normalized options of a request, with imgproxy's defaults.
package struct ImgproxyOptions: Sendable, Equatable {
    /// The way in which a source fits the requested size.
    package enum ResizingType: String, Sendable, CaseIterable {
        case fit, fill, force, auto
        case fillDown = "fill-down"
    }

    /// Extending a result to a canvas.
    package struct Extend: Sendable, Equatable {
        package var isEnabled = false
        package var gravity = ImgproxyGravity()
    }

    /// Cropping a source before it is resized.
    package struct Crop: Sendable, Equatable {
        /// Pixels from 1, a share of the side below 1, everything if 0.
        package var width = 0.0
        /// Pixels from 1, a share of the side below 1, everything if 0.
        package var height = 0.0
        /// Nil takes the request's gravity.
        package var gravity: ImgproxyGravity?

        package init(width: Double = 0, height: Double = 0, gravity: ImgproxyGravity? = nil) {
            self.width = width
            self.height = height
            self.gravity = gravity
        }
    }

    /// Cutting a uniform border.
    package struct Trim: Sendable, Equatable {
        package var tolerance = 0.0
        /// Nil takes the color of the pixel at the top left.
        package var color: SRGBColor?
        package var equalHorizontal = false
        package var equalVertical = false
    }

    /// Padding in pixels before `dpr`.
    package struct Padding: Sendable, Equatable {
        package var top = 0
        package var right = 0
        package var bottom = 0
        package var left = 0
    }

    /// The configured watermark on a result.
    package struct Watermark: Sendable, Equatable {
        /// 0–1; 0 means no watermark.
        package var opacity = 0.0
        /// Nil (`re`) tiles the watermark; offsets are then gaps.
        package var position: ImgproxyGravity.Position? = .center
        package var x = 0.0
        package var y = 0.0
        /// A share of the result; 0 keeps the watermark's size.
        package var scale = 0.0
    }

    package var resizingType = ResizingType.fit
    package var width = 0
    package var height = 0
    package var minWidth = 0
    package var minHeight = 0
    package var zoomX = 1.0
    package var zoomY = 1.0
    package var dpr = 1.0
    package var enlarge = false
    package var extend = Extend()
    package var extendAspectRatio = Extend()
    package var gravity = ImgproxyGravity()
    package var crop: Crop?
    package var trim: Trim?
    package var padding = Padding()
    package var autoRotate = true
    /// Clockwise degrees after EXIF orientation: 0, 90, 180 or 270.
    package var rotation = 0
    package var flipHorizontal = false
    package var flipVertical = false
    package var background: SRGBColor?
    package var blur = 0.0
    package var sharpen = 0.0
    package var pixelate = 1
    package var watermark = Watermark()
    package var stripMetadata = true
    package var keepCopyright = true
    package var stripColorProfile = true
    package var preserveHDR = false
    package var enforceThumbnail = false
    /// 0 means the quality by format.
    package var quality = 0
    package var formatQuality: [ImgproxyFormat: Int] = [:]
    /// True if the client asks for less data.
    package var savesData = false
    /// 0 means no limit.
    package var maxBytes = 0
    package var format: ImgproxyFormat?
    package var skipProcessing: Set<ImgproxyFormat> = []
    package var raw = false
    package var cacheBuster = ""
    /// Seconds since 1970.
    package var expires: Int?
    package var filename: String?
    package var returnAttachment = false
    package var maxSourceMegapixels: Double?
    package var maxFrameMegapixels: Double?
    package var maxSourceBytes: Int?
    package var maxAnimationFrames: Int?
    package var maxResultSide: Int?

    package init() {}

    /// Returns the quality for `format`: `quality`, else `format_quality`, else the configured one; of that one three
    /// quarters for clients that ask for less data.
    package func quality(for format: ImgproxyFormat, settings: ImgproxySettings) -> Int {
        if quality > 0 { return quality }
        if let own = formatQuality[format], own > 0 { return own }
        let configured = settings.formatQuality[format] ?? settings.quality
        return savesData ? max(1, configured * 3 / 4) : configured
    }

    /// Returns whether a source of `source` is passed on without processing.
    package func skipsProcessing(source: ImgproxyFormat) -> Bool {
        skipProcessing.contains(source) && (format == nil || format == source)
    }
}
