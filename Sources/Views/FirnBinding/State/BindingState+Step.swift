import FirnImage

extension BindingState {
    /// The actions after an event, in the order: start, release, display.
    struct Step: Equatable {
        var start: Start?
        /// The treatment of the request that ran before the event.
        var release: Release?
        var display: Display?

        struct Start: Equatable {
            let number: Int
            /// The size of the view in pixels; `nil` for every pixel of the image.
            let target: PixelSize?
            /// True if the source is asked, whatever the caches have.
            var ignoresCaches = false
        }

        /// The treatment of a released request.
        enum Release: Equatable {
            /// Another view may take it over; otherwise the list's policy applies.
            case handOver
            case cancel
        }

        enum Display: Equatable {
            case nothing, placeholder, preview, failure
            case image(fades: Bool)
        }
    }

    struct Shown: Equatable {
        var kind = DisplayedContent.Kind.nothing
        var source: Source?
        var size: PixelSize?
        /// The size of the view in pixels at the time of the request; `nil` for every pixel of the image.
        var asked: PixelSize?

        /// Returns whether an image of another size would look better: the view would stretch this one too far and a
        /// larger one exists, or the view has shrunk so far that most pixels are skipped when it is painted.
        func needsOtherSize(for view: ImageDisplaySize, _ rules: Rules) -> Bool {
            needsLarger(for: view, rules) || needsSmaller(for: view, rules)
        }

        /// Toolkits paint with a linear filter, which reads four pixels: below half of the size it skips some.
        private func needsSmaller(for view: ImageDisplaySize, _ rules: Rules) -> Bool {
            guard let size, !size.isEmpty, let needed = view.pixels else { return false }
            let stretch = rules.stretch(of: size, to: needed)
            guard stretch < Rules.minimumStretch else { return false }
            // Processors may make an image that is larger than requested, also of a smaller request.
            guard let asked, !asked.isEmpty else { return true }
            return stretch < Rules.minimumStretch * rules.stretch(of: size, to: asked)
        }

        private func needsLarger(for view: ImageDisplaySize, _ rules: Rules) -> Bool {
            guard let size, let asked, !size.isEmpty, !view.isPending else { return false }
            // If the image is smaller than requested by more than rounding, the source has no more pixels.
            let (missesWidth, missesHeight) = (size.width + 1 < asked.width, size.height + 1 < asked.height)
            let isAll = rules.mode == .fit ? missesWidth && missesHeight : missesWidth || missesHeight
            if isAll { return false }
            guard let needed = view.pixels else { return true }
            return rules.stretch(of: size, to: needed) > 1 + rules.margin
        }
    }

    /// The part of the load's options that affects decisions.
    struct Rules: Equatable {
        enum Placeholder { case none, some, keep }

        var placeholder = Placeholder.none
        var hasFailure = false
        var showsPreviews = true
        var alwaysTransition = false
        var mode = ImageContentMode.fit
        /// The share by which an image may be stretched.
        var margin = 0.25

        /// The stretch below which a smaller image is requested.
        static var minimumStretch: Double { 0.5 }

        /// Returns the factor by which a view of `view` pixels stretches an image of `size`, which is not empty.
        func stretch(of size: PixelSize, to view: PixelSize) -> Double {
            let horizontal = Double(view.width) / Double(size.width)
            let vertical = Double(view.height) / Double(size.height)
            return mode == .fit ? min(horizontal, vertical) : max(horizontal, vertical)
        }

        /// Returns whether a view needs more pixels than were requested, or less than half of their columns and rows.
        func isOtherSize(_ view: ImageDisplaySize, than asked: PixelSize?) -> Bool {
            guard let asked, !asked.isEmpty, !view.isPending else { return false }
            guard let needed = view.pixels else { return true }
            let most = max(
                Double(needed.width) / Double(asked.width), Double(needed.height) / Double(asked.height))
            return most > 1 + margin || most < Rules.minimumStretch
        }
    }
}
