// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "gtk-adwaita",
    dependencies: [.package(name: "Firn", path: "../..", traits: [.defaults, "GTK"])],
    targets: [
        .systemLibrary(name: "CAdwaita", pkgConfig: "libadwaita-1", providers: [.apt(["libadwaita-1-dev"])]),
        .executableTarget(
            name: "gtk-adwaita", dependencies: ["CAdwaita", .product(name: "FirnGTK", package: "Firn")]),
    ]
)
