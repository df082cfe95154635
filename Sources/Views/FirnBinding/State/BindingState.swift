/// Decides what one view shows and loads. A value: takes events and returns steps for the caller to perform.
///
/// `Source` identifies an image of any size. Every started request has a number, its generation. Late events, with
/// another number, change nothing.
///
/// Invariants: at most one request is running, that of `generation`. A shown image or preview belongs to `source`.
/// While `source` stays the same, no placeholder replaces its image or preview.
struct BindingState<Source: Equatable> {
    /// The state of the view's request.
    enum Phase: Equatable {
        /// No source.
        case empty
        /// A source without a request: the view has no size yet or is off screen, or the request was cancelled.
        case waiting
        case loading
        case displayed
        case failed
    }

    private(set) var source: Source?
    private(set) var phase = Phase.empty
    private(set) var shown = Shown()
    /// The number of the latest request.
    private(set) var generation = 0
    private var rules = Rules()
    private var viewSize = ImageDisplaySize.unknown
    /// The target size of the latest request; `nil` for every pixel.
    private var asked: PixelSize?
    private var isAway = false
    /// The way to load the shown image again; `nil` to keep it.
    private var reload: Reload?

    private enum Reload { case asRequested, ignoringCaches }

    // MARK: The view

    /// Loads another source, or the same source again; `nil` empties the view.
    ///
    /// - Parameter isOutdated: whether the source's shown image or running request is outdated. The image stays until
    ///   the new one is ready.
    mutating func load(_ source: Source?, size: ImageDisplaySize, rules: Rules, isOutdated: Bool = false) -> Step {
        guard let source else { return clear() }
        let isSame = source == self.source
        self.rules = rules
        isAway = false
        if isSame, !isOutdated { return resize(size) }
        let isRunning = phase == .loading
        self.source = source
        viewSize = size
        reload = isOutdated ? .asRequested : nil
        var step = begin()
        // An outdated request for the same image is of no use to other views, either.
        if isRunning { step.release = isSame ? .cancel : .handOver }
        return step
    }

    func showsImage(of source: Source) -> Bool { shown.kind == .image && shown.source == source }

    /// Records that the view is off screen. Its content stays.
    mutating func disappear() -> Step {
        guard !isAway else { return Step() }
        isAway = true
        return stop(.handOver)
    }

    /// Records that the view is on screen again.
    mutating func appear() -> Step {
        guard isAway else { return Step() }
        isAway = false
        return resize(viewSize)
    }

    /// Releases the request. The content stays, because the next source may be the same.
    mutating func prepareForReuse() -> Step {
        let step = stop(.handOver)
        source = nil
        phase = .empty
        isAway = false
        reload = nil
        return step
    }

    mutating func clear() -> Step {
        var step = prepareForReuse()
        step.display = show(.nothing)
        return step
    }

    /// Cancels the request. The content stays.
    mutating func cancel() -> Step {
        reload = nil
        return stop(.cancel)
    }

    /// Loads again: after a failure or ``cancel()``, or to replace the shown image.
    mutating func retry() -> Step {
        guard source != nil, !isAway else { return Step() }
        switch phase {
        case .empty, .loading: return Step()
        case .displayed: reload = .ignoringCaches
        case .failed, .waiting: break
        }
        return begin()
    }

    // MARK: The request

    /// Records that the started request has no result yet.
    mutating func wait(_ number: Int) -> Step {
        guard isCurrent(number) else { return Step() }
        return Step(display: placeholder())
    }

    mutating func preview(_ number: Int) -> Step {
        guard isCurrent(number), rules.showsPreviews, !(isOwnShown && shown.kind == .image) else { return Step() }
        shown = Shown(kind: .preview, source: source)
        return Step(display: .preview)
    }

    /// Records that the image was loaded.
    ///
    /// - Parameters:
    ///   - size: the size in pixels, as displayed.
    ///   - isFromMemory: whether the image was in the memory cache.
    mutating func finish(_ number: Int, size: PixelSize, isFromMemory: Bool) -> Step {
        guard isCurrent(number) else { return Step() }
        let sharpens = isOwnShown && (shown.kind == .image || shown.kind == .preview)
        let fades = !sharpens && (!isFromMemory || rules.alwaysTransition)
        phase = .displayed
        reload = nil
        shown = Shown(kind: .image, source: source, size: size, asked: asked)
        return Step(display: .image(fades: fades))
    }

    /// Records that the request failed or was cancelled.
    ///
    /// - Parameter isRefused: whether the source refused the request, which says nothing about the image.
    mutating func fail(_ number: Int, isCancelled: Bool, isRefused: Bool = false) -> Step {
        guard isCurrent(number) else { return Step() }
        reload = nil
        if isOwnShown, shown.kind == .image {
            // The request was for another size or a newer image; the shown image is still the best.
            phase = .displayed
            return Step()
        }
        phase = isCancelled ? .waiting : .failed
        guard !isCancelled else { return Step() }
        if isRefused, isOwnShown, shown.kind == .preview { return Step() }
        if rules.hasFailure {
            shown = Shown(kind: .failure, source: source)
            return Step(display: .failure)
        }
        return Step(display: isOwnShown ? nil : show(rules.placeholder == .some ? .placeholder : .nothing))
    }

    /// Returns whether events of this request still apply.
    func isCurrent(_ number: Int) -> Bool { phase == .loading && number == generation }

    // MARK: Steps

    private var isOwnShown: Bool { shown.source == source && source != nil }

    /// Starts a request unless the image is already shown, or the view is off screen or has no size.
    private mutating func begin() -> Step {
        let hasImage = isOwnShown && shown.kind == .image
        if hasImage, reload == nil, !shown.needsOtherSize(for: viewSize, rules) {
            phase = .displayed
            return Step()
        }
        guard !isAway, !viewSize.isPending else {
            phase = hasImage ? .displayed : .waiting
            return Step(display: isAway ? nil : placeholder())
        }
        generation += 1
        phase = .loading
        asked = viewSize.pixels
        return Step(
            start: Step.Start(number: generation, target: asked, ignoresCaches: reload == .ignoringCaches))
    }

    /// Records the size of the view and starts or replaces the request if necessary.
    mutating func resize(_ size: ImageDisplaySize) -> Step {
        viewSize = size
        guard source != nil, !isAway else { return Step() }
        switch phase {
        case .empty, .failed: return Step()
        case .waiting, .displayed: return begin()
        case .loading:
            guard rules.isOtherSize(size, than: asked) else { return Step() }
            var step = begin()
            // Order: the new request starts first, so that it joins the download of the old one. None starts if the
            // shown image already has the right size.
            step.release = .cancel
            return step
        }
    }

    private mutating func stop(_ release: Step.Release) -> Step {
        guard phase == .loading else { return Step() }
        phase = isOwnShown && shown.kind == .image ? .displayed : .waiting
        return Step(release: release)
    }

    /// Returns the content to show until there is a result; `nil` if it is already shown.
    private mutating func placeholder() -> Step.Display? {
        if rules.placeholder == .keep { return nil }
        if isOwnShown, shown.kind != .failure { return nil }
        return show(rules.placeholder == .some ? .placeholder : .nothing)
    }

    private mutating func show(_ kind: DisplayedContent.Kind) -> Step.Display? {
        let wasEmpty = shown.kind == .nothing
        shown = Shown(kind: kind, source: kind == .nothing ? nil : source)
        if kind == .nothing { return wasEmpty ? nil : .nothing }
        return .placeholder
    }

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
