-- The second Neovim of hunks: a piece that was kept in the first is no news, and what was not is.
return function(e)
  e.begin({}, 'dos.txt')
  e.attached()
  require('agent-sidecar.sessions').open(require('agent-sidecar.project').here(), '0001')
  e.wait_chat('They are changed.')
  local space = vim.api.nvim_get_namespaces()['agent-sidecar-hunks']
  local function marks()
    local rows = {}
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
      if mark[4].virt_text then rows[#rows + 1] = mark[2] + 1 end
    end
    return table.concat(rows, ' ')
  end
  local function marked(what, rows) e.wait(what, function() return marks() == rows end, function() return { marks(), vim.api.nvim_buf_get_lines(0, 0, -1, false), e.told } end) end
  vim.cmd.wincmd('p')
  vim.cmd.edit('dos.txt')
  marked('one that was neither kept nor undone is marked', '2')
  vim.cmd.edit('long.txt')
  vim.api.nvim_buf_set_lines(0, 14, 14, false, { 'mine' })
  vim.cmd.doautocmd('TextChanged')
  marked('one that was kept before has no mark; what came since has one', '15')
  vim.cmd('silent! edit!')
end
