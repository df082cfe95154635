/// The style sheet and the icon of the viewer.
enum ViewerStyle {
    /// `viewer.css`.
    static let text = #"""
        html, body { margin: 0; height: 100%; background: #1c1c1e; color: #f2f2f2; font: 16px/1.4 sans-serif; }
        #viewer { position: fixed; inset: 0; overflow: hidden; }
        canvas { display: block; width: 100%; height: 100%; touch-action: none; cursor: grab; }
        canvas.moving { cursor: grabbing; }
        canvas:focus-visible { outline: 3px solid #6cb2ff; outline-offset: -3px; }
        .controls { position: absolute; top: 12px; left: 12px; display: flex; flex-direction: column; gap: 6px; }
        .controls button {
          width: 40px; height: 40px; border: 1px solid #8a8a8e; border-radius: 8px;
          background: rgba(28, 28, 30, 0.85); color: inherit; font: 22px/1 sans-serif; cursor: pointer;
        }
        .controls button:hover { background: #3a3a3c; }
        .controls button:focus-visible { outline: 3px solid #6cb2ff; outline-offset: 1px; }
        #status, .note {
          position: absolute; left: 50%; bottom: 16px; max-width: 80%; margin: 0; padding: 8px 16px;
          transform: translateX(-50%); border-radius: 8px; background: rgba(28, 28, 30, 0.9);
        }
        #status:empty { display: none; }
        #viewer[data-state="error"] #status { bottom: 50%; background: #7a1f1f; }
        #viewer[data-state="error"] .controls { display: none; }
        .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); margin: 0; }
        """#

    /// `icon.svg`: a frame with a lens.
    static let icon = #"""
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1c1c1e"/>
        <circle cx="7" cy="7" r="4" fill="none" stroke="#6cb2ff" stroke-width="1.5"/>
        <path d="M10 10l3.5 3.5" stroke="#6cb2ff" stroke-width="1.5" stroke-linecap="round"/></svg>
        """#
}
