"""Parts every page and panel is made of: theme, chart, flow, dialogs to save."""
