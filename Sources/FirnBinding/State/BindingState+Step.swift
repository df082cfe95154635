import FirnImage

extension BindingState {
    /// The actions after an event, in the order: start, release, display.
    struct Step: Equatable {
        /// The request to start.
        var start: Start?
        /// What happens to the request that ran before the event.
        var release: Release?
        /// The content to show.
        var display: Display?

        struct Start: Equatable {
            let number: Int
            /// The size of the view in pixels; `nil` for every pixel of the image.
            let target: PixelSize?
        }

        /// What happens to a released request.
        enum Release: Equatable {
            /// Another view may take it over; otherwise the list's policy applies.
            case handOver
            /// It is cancelled.
            case cancel
        }

        enum Display: Equatable {
            case nothing, placeholder, preview, failure
            case image(fades: Bool)
        }
    }

    /// The content that the view shows.
    struct Shown: Equatable {
        var kind = DisplayedContent.Kind.nothing
        var source: Source?
        /// The size of the image in pixels.
        var size: PixelSize?
        /// The size of the view in pixels at the time of the request; `nil` for every pixel of the image.
        var asked: PixelSize?

        /// Whether the view would stretch the image too far, and a larger one exists.
        func needsLarger(for view: DisplaySize, _ rules: Rules) -> Bool {
            guard let size, let asked, !size.isEmpty, !view.isPending else { return false }
            // If the image is smaller than requested by more than rounding, the source has no more pixels.
            let (missesWidth, missesHeight) = (size.width + 1 < asked.width, size.height + 1 < asked.height)
            let isAll = rules.mode == .fit ? missesWidth && missesHeight : missesWidth || missesHeight
            if isAll { return false }
            guard let needed = view.pixels else { return true }
            let horizontal = Double(needed.width) / Double(size.width)
            let vertical = Double(needed.height) / Double(size.height)
            let stretch = rules.mode == .fit ? min(horizontal, vertical) : max(horizontal, vertical)
            return stretch > 1 + rules.margin
        }
    }

    /// The part of the load's options that affects decisions.
    struct Rules: Equatable {
        enum Placeholder { case none, some, keep }

        var placeholder = Placeholder.none
        var hasFailure = false
        var showsPreviews = true
        var alwaysTransition = false
        var mode = ContentMode.fit
        /// How far an image may be stretched.
        var margin = 0.25

        /// Whether a view needs more pixels than were requested.
        func isLarger(_ view: DisplaySize, than asked: PixelSize?) -> Bool {
            guard let asked, !asked.isEmpty, !view.isPending else { return false }
            guard let needed = view.pixels else { return true }
            let horizontal = Double(needed.width) / Double(asked.width)
            let vertical = Double(needed.height) / Double(asked.height)
            return max(horizontal, vertical) > 1 + margin
        }
    }
}
