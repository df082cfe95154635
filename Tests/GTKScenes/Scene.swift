/// The scenes, by their names on the command line.
enum Scene: String, CaseIterable {
    case executor
    case textures
    case picture
    case fade
    case animation
    case list
    case cycles
    case costs

    @MainActor
    func play(_ checks: Checks) async {
        switch self {
        case .executor: await ExecutorScene.play(checks)
        case .textures: await TextureScene.play(checks)
        case .picture: await PictureScene.play(checks)
        case .fade: await FadeScene.play(checks)
        case .animation: await AnimationScene.play(checks)
        case .list: await ListScene.play(checks)
        case .cycles: await CycleScene.play(checks)
        case .costs: await CostScene.play(checks)
        }
    }
}
