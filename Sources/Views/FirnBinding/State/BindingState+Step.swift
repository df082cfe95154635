extension BindingState {
    /// The actions after an event, in this order: start, release, display.
    struct Step: Equatable {
        var start: Start?
        /// The treatment of the request that ran before the event.
        var release: Release?
        var display: Display?

        struct Start: Equatable {
            let number: Int
            /// The size of the view in pixels; `nil` for all pixels of the image.
            let target: PixelSize?
            /// True to contact the source regardless of the caches.
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
        /// The size of the view in pixels at the time of the request; `nil` for all pixels of the image.
        var asked: PixelSize?

        /// Returns whether another size would look better: the view would stretch this image too far and a larger one
        /// exists, or the view has shrunk so far that painting skips most pixels.
        func needsOtherSize(for view: ImageDisplaySize, _ rules: Rules) -> Bool {
            needsLarger(for: view, rules) || needsSmaller(for: view, rules)
        }

        /// Returns whether painting would skip pixels: toolkits use a linear filter, which reads four pixels, so it
        /// skips some below half size.
        private func needsSmaller(for view: ImageDisplaySize, _ rules: Rules) -> Bool {
            guard let size, !size.isEmpty, let needed = view.pixels else { return false }
            let stretch = rules.stretch(of: size, to: needed)
            guard stretch < Rules.minimumStretch else { return false }
            // Processors may return a larger image than requested, even for a smaller request.
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

    /// The load options that affect decisions.
    struct Rules: Equatable {
        enum Placeholder { case none, some, keep }

        var placeholder = Placeholder.none
        var hasFailure = false
        var showsPreviews = true
        var alwaysTransition = false
        var mode = ImageContentMode.fit
        /// The share by which a view may stretch an image.
        var margin = 0.25

        /// The stretch factor below which a smaller image is requested.
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
