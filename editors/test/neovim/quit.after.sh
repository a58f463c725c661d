# What only shows when the editor is gone.
check "$name: Neovim said shutdown" grep -aq '"method":"shutdown"' "$logs/to-sidecar"
