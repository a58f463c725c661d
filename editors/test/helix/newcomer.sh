# A person who has a provider and has named no model: the first prompt offers what there is, and the second yes is not needed.
before=$'as it was\n@agent Say hello.'
say "$before" >note.md
mkdir .git
config=$HOME/.agent-sidecar/config.jsonc
stored() { grep -qF -- "$1" "$config"; }

begin note.md
keys g e
act 'Agent: “Say hello.”'
popup 'Do you trust the files in'
wait_for 'the prompt is answered with what is missing, and the way' got 'No model is set up. Choose one among the code actions'
check 'in words for an editor' hides '--model'
if [ -n "$pops_up" ]; then
	wait_for 'the models that there are pop up' shows '│ No model is set up. Which one shall I use?'
	keep 'the models pop up'
	keys Escape
	until_true hides '│ No model is set up.' || failed 'Escape closes the question'
fi
check 'dismissed, nothing is stored' is "$(stored acme/small-1 && say stored)" ''
act 'Agent: use the model acme/small-1'
wait_for 'the model is stored' stored '"model": "acme/small-1"'
wait_for 'and the prompt is answered' shows 'Hello, I work now.'
keep 'the answer'
menu
check 'the menu offers no model any more' hides 'Agent: use the model'
keys Escape
until_true hides 'Agent: run on' || failed 'Escape closes the menu'
leave
