/// The script and the style sheet of the viewer.
///
/// State: the image point in the middle of the canvas, and the scale in device pixels per image pixel. Each frame draws
/// the loaded tiles of the coarsest level and of the level that matches the scale, and requests missing ones.
/// `data-state`, `data-level` and `data-tiles` expose the state to tests.
enum ViewerScript {
    /// `viewer.js`.
    static let text = #"""
        "use strict";
        (async () => {
          const root = document.getElementById("viewer"), note = document.getElementById("status");
          const canvas = root.querySelector("canvas"), context = canvas.getContext("2d", { alpha: false });
          const tiles = new Map(); // key -> Image; the least recently drawn first
          const view = { x: 0, y: 0, scale: 0 };
          const fail = (text) => { note.textContent = text; root.dataset.state = "error"; };
          const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
          let info;
          try {
            const response = await fetch(root.dataset.image + "/info.json");
            if (response.status === 404) return fail("This image does not exist.");
            if (!response.ok) return fail(`The image cannot be shown (status ${response.status}).`);
            info = await response.json();
          } catch { return fail("The server cannot be reached."); }
          const { width: side, height: tall = side, scaleFactors } =
            info.tiles?.[0] ?? { width: 512, scaleFactors: [1] };
          const factors = [...scaleFactors].sort((a, b) => b - a);
          const least = () => Math.min(canvas.width / info.width, canvas.height / info.height, devicePixelRatio);

          function tile(factor, column, row) {
            const key = `${factor}/${column}/${row}`, x = column * side * factor, y = row * tall * factor;
            const width = Math.min(side * factor, info.width - x), height = Math.min(tall * factor, info.height - y);
            let image = tiles.get(key);
            if (image) tiles.delete(key);
            else {
              const region = width === info.width && height === info.height ? "full" : [x, y, width, height].join();
              const size = factor === 1 ? "max" : [Math.ceil(width / factor), Math.ceil(height / factor)].join();
              image = new Image();
              image.onload = draw;
              image.onerror = () => { note.textContent = "Some parts of the image could not be loaded."; };
              image.src = `${root.dataset.image}/${region}/${size}/0/default.jpg`;
            }
            tiles.set(key, image);
            if (tiles.size > 512) tiles.delete(tiles.keys().next().value);
            return { image, x, y, right: x + width, bottom: y + height };
          }

          function draw() {
            const ratio = devicePixelRatio, isWhole = view.scale <= least();
            canvas.width = canvas.clientWidth * ratio;
            canvas.height = canvas.clientHeight * ratio;
            view.scale = isWhole ? least() : clamp(view.scale, least(), 8 * ratio);
            const across = canvas.width / view.scale / 2, down = canvas.height / view.scale / 2;
            view.x = 2 * across >= info.width ? info.width / 2 : clamp(view.x, across, info.width - across);
            view.y = 2 * down >= info.height ? info.height / 2 : clamp(view.y, down, info.height - down);
            const place = (value, middle, size) => Math.round((value - middle) * view.scale + size / 2);
            // The coarsest level that has a pixel for each pixel of the canvas.
            const level = factors.find((factor) => factor * view.scale <= 1.01) ?? factors.at(-1);
            let missing = 0;
            for (const factor of new Set([factors[0], level])) {
              const [width, height] = [side * factor, tall * factor];
              for (let y = Math.max(0, view.y - down); y < Math.min(info.height, view.y + down); y += height) {
                y = Math.floor(y / height) * height;
                for (let x = Math.max(0, view.x - across); x < Math.min(info.width, view.x + across); x += width) {
                  x = Math.floor(x / width) * width;
                  const part = tile(factor, x / width, y / height);
                  if (!part.image.complete || !part.image.naturalWidth) { missing += 1; continue; }
                  // Edges are rounded, not sizes, so that neighbors meet without a seam.
                  const left = place(part.x, view.x, canvas.width), top = place(part.y, view.y, canvas.height);
                  context.drawImage(part.image, left, top, place(part.right, view.x, canvas.width) - left,
                    place(part.bottom, view.y, canvas.height) - top);
                }
              }
            }
            Object.assign(root.dataset, { state: missing ? "loading" : "complete", level, tiles: tiles.size });
          }

          function move(x, y) { view.x -= x / view.scale; view.y -= y / view.scale; draw(); }
          // The image point under the pointer stays there.
          function zoom(by, x = canvas.width / 2, y = canvas.height / 2) {
            const scale = clamp(view.scale * by, least(), 8 * devicePixelRatio);
            view.x += (x - canvas.width / 2) * (1 / view.scale - 1 / scale);
            view.y += (y - canvas.height / 2) * (1 / view.scale - 1 / scale);
            view.scale = scale;
            draw();
          }
          const at = (event, by) => zoom(by, event.offsetX * devicePixelRatio, event.offsetY * devicePixelRatio);
          const actions = { "+": () => zoom(1.5), "-": () => zoom(1 / 1.5), 0: () => zoom(0),
            ArrowLeft: () => move(150, 0), ArrowRight: () => move(-150, 0), ArrowUp: () => move(0, 150),
            ArrowDown: () => move(0, -150) };
          canvas.addEventListener("pointermove", (event) => { if (event.buttons & 1) move(
            event.movementX * devicePixelRatio, event.movementY * devicePixelRatio); });
          canvas.addEventListener("dblclick", (event) => at(event, event.shiftKey ? 0.5 : 2));
          canvas.addEventListener("wheel", (event) => {
            event.preventDefault();
            at(event, Math.exp(-clamp(event.deltaY / 500, -1, 1)));
          }, { passive: false });
          document.addEventListener("keydown", (event) => actions[event.key]?.());
          for (const button of root.querySelectorAll("button")) button.onclick = actions[button.dataset.key];
          new ResizeObserver(draw).observe(canvas);
        })();
        """#

    /// `viewer.css`.
    static let style = #"""
        html, body, main, canvas { margin: 0; width: 100%; height: 100%; background: #1c1c1e; color: #f2f2f2; }
        canvas { position: fixed; inset: 0; touch-action: none; cursor: grab; }
        canvas:focus-visible, button:focus-visible { outline: 3px solid #6cb2ff; outline-offset: -3px; }
        .controls, #status { position: absolute; top: 12px; left: 12px; font: 16px/1.4 sans-serif; }
        #status { left: 72px; margin: 0; }
        button { display: block; width: 40px; height: 40px; margin-bottom: 6px; font: 22px/1 sans-serif; }
        """#
}
