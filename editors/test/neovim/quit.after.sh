# What only shows when the editor is gone.
check "$name: Neovim said shutdown and no exit" bash -c 'grep -aq "\"method\":\"shutdown\"" "$0" && ! grep -aq "\"method\":\"exit\"" "$0"' "$logs/to-sidecar"
