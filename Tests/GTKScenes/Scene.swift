/// The scenes, by their names on the command line.
enum Scene: String, CaseIterable {
    case executor
    case textures

    @MainActor
    func play(_ checks: Checks) async {
        switch self {
        case .executor: await ExecutorScene.play(checks)
        case .textures: await TextureScene.play(checks)
        }
    }
}
