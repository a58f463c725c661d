# A person who has the plugin and nothing else: no model in the environment, a service of their own that wants a key, and nobody who
# says what to do but the editor. Sourced by play.sh behind terminal.sh.
play_newcomer() {
	local name="$label newcomer" newcomer=yes config
	places "$label" newcomer
	config=$dir/home/.agent-sidecar/config.jsonc
	mkdir -p "$dir/workspace/.git"
	model "$own/newcomer.model"
	acme ', "apiKeyEnv": ["ACME_API_KEY"]'
	at_terminal "$init" note.txt
	seen "$name: the status line says what is missing, and the way" shows 'agent: no model (:AgentModel)'

	typed ':Agent Say hello.'
	seen "$name: the prompt is answered with what is missing" shows 'failed: No model is set up.'
	seen "$name: how a key is given" shows ':AgentKey takes a key and says how to keep it'
	check "$name: how a model is chosen" shows ':AgentModel lists the models'
	check "$name: and a server of one's own" shows ':AgentServer uses your own server'
	check "$name: nothing speaks of variables of a shell" gone_from_screen OPENAI_
	seen "$name: trust is asked about" shows 'needs your answer'
	keep 'no model'

	typed ':AgentKey acme'
	seen "$name: the key is asked for" shows 'Key for acme'
	typed wrong-key
	seen "$name: the models of the provider are listed" shows 'acme/small-1'
	check "$name: with how the key is kept" shows 'in use until Neovim ends; to keep it, set ACME_API_KEY'
	check "$name: and no list waits for a key" gone_from_screen 'Press ENTER'
	check "$name: the key is not shown" gone_from_screen wrong-key
	keep 'the models'
	tmux send-keys -l /small-1
	tmux send-keys Enter Enter
	seen "$name: new sessions may have it, too" choose 'For new sessions too'
	seen "$name: it is stored" grep -q '"model": *"acme/small-1"' "$config"
	check "$name: the key is in no file of the home" no_file_has wrong-key

	typed ':AgentRetry'
	seen "$name: a wrong key is the first word of the error" shows 'failed: Incorrect API key provided.'
	seen "$name: another one can be given" shows ':AgentKey takes another key'
	check "$name: the address is not before it" gone_from_screen 'chat/completions'
	seen "$name: trust is asked about again, because the answer was lost with the old key" shows 'needs your answer'
	keep 'a wrong key'
	typed ':AgentKey acme'
	seen "$name: another key is asked for" shows 'Key for acme'
	typed right-key
	seen "$name: it is in use" shows 'in use until Neovim ends'
	tmux send-keys q
	typed ':AgentRetry'
	seen "$name: the prompt works" shows 'Hello, I work now.'
	seen "$name: and ends" shows '— done'

	typed ':AgentServer ftp://x'
	seen "$name: what is no address says how one begins" shows 'it must start with http:// or https://'
	typed ':AgentServer http://127.0.0.1:1'
	seen "$name: a server that does not answer says so" shows 'http://127.0.0.1:1 does not answer'
	check "$name: and is not stored" gone_from '127.0.0.1:1"' "$config"
	tmux send-keys Enter # the message may have waited for it
	typed ":AgentServer ${url%/v1}"
	seen "$name: an address without /v1 is found" shows "Model of $url"
	choose big-2 || true
	seen "$name: its model can be had for this session alone" choose 'Only here'
	seen "$name: and works from now on" shows 'acme/big-2'
	check "$name: new sessions have the other one" grep -q '"model": *"acme/small-1"' "$config"

	typed ':AgentApprove'
	seen "$name: trust is answered in its own words" shows '2: Trust this folder'
	check "$name: and a no is first" shows '1: Not now'
	choose 'Trust this folder' || true
	seen "$name: the folder is stored" grep -qF "$dir/workspace" "$config"
	typed ':Agent Change the note.'
	seen "$name: the file is changed" holds "$dir/workspace/note.txt" 'as it is'
	seen "$name: the agent says so" shows 'The note is changed.'
	keep 'the end'
	typed ':qa'
	seen "$name: :qa leaves" left
	tmux kill-server 2>/dev/null || true
	ended "$name"
	model_ended "$name"
}
gone_from() { ! grep -qF -- "$1" "$2"; }
no_file_has() { ! grep -rqF -- "$1" "$dir/home/.agent-sidecar"; }

play_newcomer
