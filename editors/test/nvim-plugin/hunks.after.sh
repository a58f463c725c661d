# Another Neovim in the same folder: what was kept in the first is kept there too.
code=0
nvim_with keptagain || code=$?
said "$name, started again" "$logs/editor.out"
check "$name, started again: the editor came to its end (exit $code)" is "$code" 0
ended "$name, started again"
