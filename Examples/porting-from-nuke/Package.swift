// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "porting-from-nuke",
    dependencies: [.package(name: "Firn", path: "../..")],
    targets: [
        .executableTarget(
            name: "porting-from-nuke",
            dependencies: [.product(name: "FirnMigration", package: "Firn")])
    ]
)
