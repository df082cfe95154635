import FirnImage

/// Decides what one view shows and what is loaded for it. A value: the input is events, the output is steps, which
/// the caller performs.
///
/// `Source` identifies an image of any size. Every started request has a number, its generation. Events of a request
/// with another number are late and change nothing.
///
/// Invariants: at most one request runs, the one of `generation`. A shown image or preview belongs to `source`. While
/// `source` stays the same, no placeholder replaces its image or preview.
struct BindingState<Source: Equatable> {
    /// The state of the view's request.
    enum Phase: Equatable {
        /// No source.
        case empty
        /// A source without a request: the view has no size yet or is off the screen, or the request was cancelled.
        case waiting
        /// A request runs.
        case loading
        /// The source's image is shown.
        case displayed
        /// The request failed.
        case failed
    }

    private(set) var source: Source?
    private(set) var phase = Phase.empty
    private(set) var shown = Shown()
    /// The number of the latest request.
    private(set) var generation = 0
    private var rules = Rules()
    private var viewSize = DisplaySize.unknown
    /// The target size of the latest request; `nil` for every pixel.
    private var asked: PixelSize?
    private var isAway = false

    // MARK: The view

    /// Loads another source, or the same one again; `nil` for none.
    mutating func load(_ source: Source?, size: DisplaySize, rules: Rules) -> Step {
        guard let source else { return clear() }
        if source == self.source {
            self.rules = rules
            isAway = false
            return arrange(size)
        }
        let isRunning = phase == .loading
        self.source = source
        self.rules = rules
        viewSize = size
        isAway = false
        var step = begin()
        if isRunning { step.release = .handOver }
        return step
    }

    /// Records the size of the view, which may have changed.
    mutating func resize(_ size: DisplaySize) -> Step { arrange(size) }

    /// Records that the view is off the screen. Its content stays.
    mutating func disappear() -> Step {
        guard !isAway else { return Step() }
        isAway = true
        return stop(.handOver)
    }

    /// Records that the view is on the screen again.
    mutating func appear() -> Step {
        guard isAway else { return Step() }
        isAway = false
        return arrange(viewSize)
    }

    /// Releases the request. The content stays, because the next source may be the same.
    mutating func prepareForReuse() -> Step {
        let step = stop(.handOver)
        source = nil
        phase = .empty
        isAway = false
        return step
    }

    /// Empties the view.
    mutating func clear() -> Step {
        var step = prepareForReuse()
        step.display = show(.nothing)
        return step
    }

    /// Cancels the request. The content stays.
    mutating func cancel() -> Step { stop(.cancel) }

    /// Loads again after a failure or ``cancel()``.
    mutating func retry() -> Step {
        guard source != nil, !isAway, phase == .failed || phase == .waiting else { return Step() }
        return begin()
    }

    // MARK: The request

    /// Records that the started request has no result yet.
    mutating func wait(_ number: Int) -> Step {
        guard isCurrent(number) else { return Step() }
        return Step(display: placeholder())
    }

    /// Records a preview.
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
        shown = Shown(kind: .image, source: source, size: size, asked: asked)
        return Step(display: .image(fades: fades))
    }

    /// Records that the request failed or was cancelled.
    mutating func fail(_ number: Int, isCancelled: Bool) -> Step {
        guard isCurrent(number) else { return Step() }
        if isOwnShown, shown.kind == .image {
            // A larger image was requested; the smaller one is still valid.
            phase = .displayed
            return Step()
        }
        phase = isCancelled ? .waiting : .failed
        guard !isCancelled else { return Step() }
        if rules.hasFailure {
            shown = Shown(kind: .failure, source: source)
            return Step(display: .failure)
        }
        return Step(display: isOwnShown ? nil : show(.nothing))
    }

    /// Whether events of this request still apply.
    func isCurrent(_ number: Int) -> Bool { phase == .loading && number == generation }

    // MARK: Steps

    private var isOwnShown: Bool { shown.source == source && source != nil }

    /// Starts a request, unless the image is shown already, the view is off the screen, or it has no size.
    private mutating func begin() -> Step {
        if isOwnShown, shown.kind == .image, !shown.needsLarger(for: viewSize, rules) {
            phase = .displayed
            return Step()
        }
        guard !isAway, !viewSize.isPending else {
            phase = .waiting
            return Step(display: isAway ? nil : placeholder())
        }
        generation += 1
        phase = .loading
        asked = viewSize.pixels
        return Step(start: Step.Start(number: generation, target: asked))
    }

    /// Starts or replaces the request if the size requires it.
    private mutating func arrange(_ size: DisplaySize) -> Step {
        viewSize = size
        guard source != nil, !isAway else { return Step() }
        switch phase {
        case .empty, .failed: return Step()
        case .waiting: return begin()
        case .displayed: return begin()
        case .loading:
            guard rules.isLarger(size, than: asked) else { return Step() }
            var step = begin()
            // Order: the larger request starts first and joins the download of the smaller one.
            if step.start != nil { step.release = .cancel }
            return step
        }
    }

    private mutating func stop(_ release: Step.Release) -> Step {
        guard phase == .loading else { return Step() }
        phase = isOwnShown && shown.kind == .image ? .displayed : .waiting
        return Step(release: release)
    }

    /// Returns the content to show until there is a result; `nil` if it is shown already.
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
}
