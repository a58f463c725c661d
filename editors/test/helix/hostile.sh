# What is asked is made to mislead: a file's name with an escape sequence of the terminal and turned letters, which looks like a yes, and a
# command that no title can show. Nothing pops up or opens by itself, because the configuration says so.
before=$'as it was\n@agent Change the note.'
say "$before" >note.md
mkdir .git
sed -i '/^args = /a config = { surfaces = { messageRequest = false, transcript = false } }' "$HOME/helix/languages.toml"
pops_up=''

begin note.md
keys g e
act 'Agent: “Change the note.”'
wait_for 'the file is asked about' got 'The agent asks: create'
if ! until_true shows 'The agent asks: '; then failed 'the question stands at a line'; fi

menu
keep 'the menu, with a name that misleads'
check 'the menu shows the codes of what cannot be seen' shows '\x1b[31m\u202egnp.md'
check 'the name makes no yes' is_one 'Reject: create'
check 'a file that was not seen is not to be allowed' hides 'Allow once: create'
keys Escape
until_true hides 'Review diff: ' || failed 'Escape closes the menu'
check 'nothing invisible came over the wire' came_visible
act 'Reject: create'

wait_for 'the command is asked about' got 'The agent asks: echo aaaa'
menu
keep 'the menu, with a command that is too long'
check 'a command that no title shows whole is not to be allowed' hides 'Allow once: '
keys Escape
until_true hides 'Review diff: ' || failed 'Escape closes the menu'
act 'Reject: echo aaaa'
wait_for 'the agent goes on behind the no' shows 'I leave it.'
check 'nothing was made' is "$(ls | tr '\n' ' ')" 'note.md note.txt '
check 'the file is untouched' holds note.md "$before"
check 'no question popped up' never_popped
leave
