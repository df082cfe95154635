import FirnImage

/// What one view is to show, and what is to be loaded for it. A value: events in, steps out; it performs nothing.
///
/// `Source` names an image, whatever its size. Every request that is started has a number, its generation; what is
/// told of a request with another number is late, and changes nothing.
///
/// Invariants: at most one request runs, the one of `generation`. An image or preview that is to be shown is one of
/// `source`. While `source` stays, no placeholder takes the place of its image or preview.
struct BindingState<Source: Equatable> {
    /// How far the view is with its request.
    enum Phase: Equatable {
        /// No source.
        case empty
        /// A source, and nothing running: no size yet, away, or cancelled.
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
    /// What the latest request asked for; `nil` for every pixel.
    private var asked: PixelSize?
    private var isAway = false

    // MARK: The view

    /// The view is to show another source, or the same again; `nil` for none.
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

    /// The view may have another size.
    mutating func resize(_ size: DisplaySize) -> Step { arrange(size) }

    /// The view has gone off the screen. What it shows stays.
    mutating func disappear() -> Step {
        guard !isAway else { return Step() }
        isAway = true
        return stop(.handOver)
    }

    /// The view is back on the screen.
    mutating func appear() -> Step {
        guard isAway else { return Step() }
        isAway = false
        return arrange(viewSize)
    }

    /// The view is soon to show something else. What it shows stays until then: it may be the same again.
    mutating func prepareForReuse() -> Step {
        let step = stop(.handOver)
        source = nil
        phase = .empty
        isAway = false
        return step
    }

    /// The view is to be empty.
    mutating func clear() -> Step {
        var step = prepareForReuse()
        step.display = show(.nothing)
        return step
    }

    /// The request is not wanted any more. What is shown stays.
    mutating func cancel() -> Step { stop(.cancel) }

    /// Once more, after a failure or ``cancel()``.
    mutating func retry() -> Step {
        guard source != nil, !isAway, phase == .failed || phase == .waiting else { return Step() }
        return begin()
    }

    // MARK: The request

    /// The request that was started has no answer yet.
    mutating func wait(_ number: Int) -> Step {
        guard isCurrent(number) else { return Step() }
        return Step(display: placeholder())
    }

    /// An early state of the image is there.
    mutating func preview(_ number: Int) -> Step {
        guard isCurrent(number), rules.showsPreviews, !(isOwnShown && shown.kind == .image) else { return Step() }
        shown = Shown(kind: .preview, source: source)
        return Step(display: .preview)
    }

    /// The image is there.
    ///
    /// - Parameters:
    ///   - size: its pixels, as displayed.
    ///   - isFromMemory: whether it was there at once.
    mutating func finish(_ number: Int, size: PixelSize, isFromMemory: Bool) -> Step {
        guard isCurrent(number) else { return Step() }
        let sharpens = isOwnShown && (shown.kind == .image || shown.kind == .preview)
        let fades = !sharpens && (!isFromMemory || rules.alwaysTransition)
        phase = .displayed
        shown = Shown(kind: .image, source: source, size: size, asked: asked)
        return Step(display: .image(fades: fades))
    }

    /// There is no image.
    mutating func fail(_ number: Int, isCancelled: Bool) -> Step {
        guard isCurrent(number) else { return Step() }
        if isOwnShown, shown.kind == .image {
            // A larger one was wanted; the smaller is right, too.
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

    /// Whether what is told of this request still counts.
    func isCurrent(_ number: Int) -> Bool { phase == .loading && number == generation }

    // MARK: Steps

    private var isOwnShown: Bool { shown.source == source && source != nil }

    /// Starts a request, unless the image is shown already, the view is away, or it has no size.
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

    /// Brings what is shown or loaded into accord with a size.
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
            // Order: the larger is started first and joins the download of the smaller.
            if step.start != nil { step.release = .cancel }
            return step
        }
    }

    private mutating func stop(_ release: Step.Release) -> Step {
        guard phase == .loading else { return Step() }
        phase = isOwnShown && shown.kind == .image ? .displayed : .waiting
        return Step(release: release)
    }

    /// What is shown until there is an answer; `nil` if it is shown already.
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
