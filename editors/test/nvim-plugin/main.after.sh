# The editor is gone. Another one in the same folder finds the session and goes on with it.
check "$name: Neovim said shutdown and exit" bash -c 'grep -aq "\"method\":\"shutdown\"" "$0" && grep -aq "\"method\":\"exit\"" "$0"' "$logs/to-sidecar"
code=0
nvim_with resumed || code=$?
said "$name, resumed" "$logs/editor.out"
check "$name, resumed: the editor came to its end (exit $code)" is "$code" 0
ended "$name, resumed"
