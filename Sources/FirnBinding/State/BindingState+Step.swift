import FirnImage

extension BindingState {
    /// What is to be done after an event, in the order: start, release, display.
    struct Step: Equatable {
        /// A request is to be started.
        var start: Start?
        /// The request that ran before the event is no longer this view's.
        var release: Release?
        /// Something else is to be shown.
        var display: Display?

        struct Start: Equatable {
            let number: Int
            /// The pixels of the view; `nil` for every pixel of the image.
            let target: PixelSize?
        }

        /// What becomes of a request that is let go.
        enum Release: Equatable {
            /// It is for whoever wants the same, and else for the list's policy.
            case handOver
            /// Nobody wants it.
            case cancel
        }

        enum Display: Equatable {
            case nothing, placeholder, preview, failure
            case image(fades: Bool)
        }
    }

    /// What the view shows.
    struct Shown: Equatable {
        var kind = DisplayedContent.Kind.nothing
        var source: Source?
        /// The image's pixels.
        var size: PixelSize?
        /// The view's pixels when it was asked for; `nil` for every pixel of the image.
        var asked: PixelSize?

        /// Whether the view would have to stretch the image too far, and there is a larger one.
        func needsLarger(for view: DisplaySize, _ rules: Rules) -> Bool {
            guard let size, let asked, !size.isEmpty, !view.isPending else { return false }
            // Smaller than what was asked for by more than rounding: the source has no more pixels.
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

    /// What the options of a load say, as far as it decides anything.
    struct Rules: Equatable {
        enum Placeholder { case none, some, keep }

        var placeholder = Placeholder.none
        var hasFailure = false
        var showsPreviews = true
        var alwaysTransition = false
        var mode = ContentMode.fit
        /// By how much an image may be stretched.
        var margin = 0.25

        /// Whether a view needs more than was asked for.
        func isLarger(_ view: DisplaySize, than asked: PixelSize?) -> Bool {
            guard let asked, !asked.isEmpty, !view.isPending else { return false }
            guard let needed = view.pixels else { return true }
            let horizontal = Double(needed.width) / Double(asked.width)
            let vertical = Double(needed.height) / Double(asked.height)
            return max(horizontal, vertical) > 1 + margin
        }
    }
}
