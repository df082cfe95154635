// Shows content in the view.
extension ViewBinding {
    func show(_ display: State.Step.Display) {
        switch display {
        case .nothing: show(DisplayedContent.nothing)
        case .placeholder:
            show(options.placeholder, as: .placeholder, mode: options.placeholderContentMode, transition: nil)
        case .failure:
            show(
                options.failureImage, as: .failure, mode: options.failureContentMode,
                transition: options.failureImageTransition)
        case .preview: showResponse(.preview, transition: nil)
        case .image(let fades):
            showResponse(.image, transition: fades && !context.isInMotion ? options.transition : nil)
        }
    }

    /// Applies changed options to the shown content.
    func optionsChanged() {
        load?.setInterest(interest)
        if let display = state.wait(state.generation).display { return show(display) }
        switch state.shown.kind {
        case .nothing: break
        case .placeholder: show(.placeholder)
        case .failure: show(.failure)
        case .preview, .image: showResponse(content.kind, transition: nil)
        }
    }

    /// Sets ``ViewBinding/phase`` to match the state.
    func settle() {
        switch state.phase {
        case .empty: if case .empty = phase {} else { phase = .empty }
        case .waiting: if case .waiting = phase {} else { phase = .waiting }
        case .loading: if !phase.isLoading { phase = .loading }
        case .failed: if let error, phase.error != error { phase = .failed(error) }
        case .displayed:
            guard let response, phase.response?.hasSameOrigin(as: response) != true else { return }
            phase = .displayed(response)
        }
        if state.shown.kind == .nothing { response = nil }
    }

    private func showResponse(_ kind: DisplayedContent.Kind, transition: ImageTransition?) {
        show(
            DisplayedContent(
                kind, container: response?.container, contentMode: options.contentMode,
                transition: transition, response: response))
    }

    private func show(
        _ placeholder: ImagePlaceholder?, as kind: DisplayedContent.Kind, mode: ImageContentMode,
        transition: ImageTransition?
    ) {
        let content = placeholder.map { context.placeholders.content(of: $0) }
        show(
            DisplayedContent(
                kind, container: content?.image.map { ImageContainer(image: $0) }, color: content?.color,
                contentMode: mode, transition: transition))
    }

    private func show(_ content: DisplayedContent) {
        guard !content.isSame(as: self.content) else { return }
        self.content = content
        view?.display(content)
    }
}
