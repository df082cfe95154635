// swift-tools-version: 6.2
// snippet.consumer
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "photos",
    dependencies: [
        .package(url: "https://github.com/OWNER/firn", from: "0.1.0")
    ],
    targets: [
        .executableTarget(
            name: "photos",
            dependencies: [.product(name: "Firn", package: "firn")])
    ]
)
// snippet.end

// The manifests that the documentation shows. `Scripts/check-snippets` reads them; they are never built.
let withoutTraits: [Package.Dependency] = [
    // snippet.codecs-alone
    .package(url: "https://github.com/OWNER/firn", from: "0.1.0", traits: [])
    // snippet.end
]

let server = Target.executableTarget(
    name: "Server",
    dependencies: [
        // snippet.decoder-program
        .product(name: "firn-decoder", package: "firn")
        // snippet.end
    ])

package.targets += [
    // snippet.testing-target
    .testTarget(
        name: "AppTests",
        dependencies: [
            .product(name: "Firn", package: "firn"),
            .product(name: "FirnTesting", package: "firn"),
        ])
    // snippet.end
]
