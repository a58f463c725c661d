-- An edit is reviewed as both sides of its file in diff mode, and answered from there.
return function(e)
  local rules = { { domain = 'edit', pattern = 'note.txt', decision = 'ask' } }
  e.begin({ settings = { agents = { runtime = { permission = { rules = rules } } } } })
  e.attached()
  vim.cmd('Agent Change the note.')
  e.wait('the edit is asked about', function() return e.question('edit') end)
  e.wait_chat('+as it would be')
  e.go('┃ edit note.txt')
  e.keys('gr')
  local function sides()
    local list = {}
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.wo[win].diff then list[#list + 1] = { name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)), text = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false)[1], writable = vim.bo[vim.api.nvim_win_get_buf(win)].modifiable } end
    end
    table.sort(list, function(a, b) return a.text < b.text end)
    return list
  end
  e.wait('both sides are shown in diff mode', function() return #sides() == 2 end, sides)
  local both = sides()
  e.check('as it is and as it would be', both[1] and both[1].text == 'as it was' and both[2].text == 'as it would be', both)
  e.check('they cannot be changed', both[1] and not both[1].writable and not both[2].writable)
  e.check('they are documents of the sidecar', both[1] and both[1].name:find('agent%-diff:') and both[2].name:find('agent%-diff:'), both)
  e.check('the file is as it was', e.read(e.note()) == 'as it was\n')
  e.want = { 'Allow once' }
  e.go('┃ edit note.txt')
  e.keys('ga')
  e.finished(1)
  e.check('after the yes it is changed', e.read(e.note()) == 'as it would be\n', e.read(e.note()))
  e.check('the review is closed', #sides() == 0, sides())
end
