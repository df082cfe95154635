/// The style sheet of the report.
enum ReportStyle {
    static let sheet: Markup = """
        :root { color-scheme: light dark; --back: #fff; --text: #1c1f24; --faint: #6b7280;
          --line: #e3e6ea; --tile: #f5f6f8;
          --wait: #d5d9df; --read: #8a63d2; --transfer: #2f7dd1; --decode: #e08a1e; --process: #2a9d6a;
          --store: #9aa2ad; --preview: #c45fa0; --bad: #c8372d; }
        @media (prefers-color-scheme: dark) { :root { --back: #16181c; --text: #e8eaed; --faint: #9aa2ad;
          --line: #2c3036; --tile: #1f2227; --wait: #3b4048; } }
        body { font: 14px/1.45 system-ui, sans-serif; background: var(--back); color: var(--text); margin: 24px auto;
          max-width: 1100px; padding: 0 16px; }
        h1 { font-size: 22px; margin: 0 0 16px; } h2 { font-size: 15px; margin: 28px 0 8px; }
        .tiles { display: flex; flex-wrap: wrap; gap: 8px; }
        .tile { background: var(--tile); border-radius: 8px; padding: 8px 14px; min-width: 92px; }
        .tile b { display: block; font-size: 19px; font-variant-numeric: tabular-nums; }
        .tile span, .faint { color: var(--faint); font-size: 12px; }
        .tile.bad b { color: var(--bad); }
        .bar { display: flex; height: 22px; border-radius: 6px; overflow: hidden; background: var(--wait); }
        .bar div { color: #fff; font-size: 12px; line-height: 22px; text-align: center; overflow: hidden;
          white-space: nowrap; }
        svg { display: block; width: 100%; height: auto; }
        svg text { fill: var(--text); font: 11px system-ui, sans-serif; }
        svg text.faint { fill: var(--faint); } svg .grid { stroke: var(--line); }
        .wait { fill: var(--wait); } .read { fill: var(--read); } .transfer { fill: var(--transfer); }
        .decode { fill: var(--decode); } .process { fill: var(--process); } .store { fill: var(--store); }
        .preview { fill: var(--preview); }
        .paused { fill: var(--back); opacity: .6; } .failed { fill: var(--bad); }
        .responded { stroke: #fff; stroke-width: 1.5; }
        .legend { display: flex; gap: 14px; font-size: 12px; color: var(--faint); margin-bottom: 6px; flex-wrap: wrap; }
        .legend i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 4px; }
        .charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(330px, 1fr)); gap: 14px; }
        .chart { background: var(--tile); border-radius: 8px; padding: 10px 12px; }
        table { border-collapse: collapse; width: 100%; }
        td { border-top: 1px solid var(--line); padding: 4px 8px 4px 0; }
        """
}
