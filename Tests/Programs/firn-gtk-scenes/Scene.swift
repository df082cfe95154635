#if GTK
/// The scenes, by their names on the command line.
enum Scene: String, CaseIterable {
    case executor
    case textures
    case image
    case layout
    case refused
    case fade
    case transition
    case corners
    case animation
    case playing
    case playingCells
    case rows
    case sequence
    case seen
    case scale
    case bare
    case background
    case list
    case cycles
    case costs
    case zoom
    case zoomFiles

    @MainActor
    func play(_ checks: Checks) async {
        switch self {
        case .executor: await ExecutorScene.play(checks)
        case .textures: await TextureScene.play(checks)
        case .image: await ImageScene.play(checks)
        case .layout: await LayoutScene.play(checks)
        case .refused: await RefusedScene.play(checks)
        case .fade: await FadeScene.play(checks)
        case .transition: await TransitionScene.play(checks)
        case .corners: await CornerScene.play(checks)
        case .playing: await PlayingScene.play(checks)
        case .playingCells: await PlayingCellsScene.play(checks)
        case .rows: await RowScene.play(checks)
        case .sequence: await SequenceScene.play(checks)
        case .seen: await SeenScene.play(checks)
        case .scale: await ScaleScene.play(checks)
        case .bare: BareScene.play(checks)
        case .background: await BackgroundScene.play(checks)
        case .animation: await AnimationScene.play(checks)
        case .list: await ListScene.play(checks)
        case .cycles: await CycleScene.play(checks)
        case .costs: await CostScene.play(checks)
        case .zoom: await ZoomScene.play(checks)
        case .zoomFiles: await ZoomFileScene.play(checks)
        }
    }
}
#endif
