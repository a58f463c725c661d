# A person whose environment is Chinese: Helix names no language, and what is asked is Chinese all the same.
before=$'as it was\n@agent 修改这个文件。'
say "$before" >note.md
mkdir .git
sed -i '/^args = /a config = { surfaces = { messageRequest = false, transcript = false } }' "$HOME/helix/languages.toml"
pops_up=''

begin note.md
keys g e Space a
wait_for 'the line is a prompt' shows '代理：“修改这个文件。”'
keep 'the menu'
keys Enter
wait_for 'the menu closes' hides '处理选中内容'
wait_for 'the question is Chinese, at its line' shows '代理请求：echo changed'

keys Space a
wait_for 'the menu is Chinese' shows '拒绝：echo changed > note.md'
keep 'the menu, with a question'
n=$(screen | sed 's/代理请求.*//' | grep -E '(允许一次|始终允许|拒绝|审阅差异|审阅|代理|暂不|信任此文件夹)(：|: )' | grep -nF '拒绝：echo changed' | head -1 | cut -d: -f1)
for ((; n > 1; n--)); do keys Down; done
keys Enter
wait_for 'the agent goes on behind the no' shows '我不动它。'
check 'the file is untouched' holds note.md "$before"
leave
