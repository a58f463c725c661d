-- A model that writes what could be read as an instruction, or as something that it is not.
return function(e)
  e.begin()
  e.attached()
  vim.o.statusline = "%{%v:lua.require'agent-sidecar'.statusline()%}"
  vim.o.laststatus = 3
  vim.cmd("Agent %{system('touch pwned')} Title")
  e.wait('the command is asked about', function() return e.question('bash') end)
  vim.cmd.redraw()
  e.wait_chat('┃ allowed once: nothing')
  local view = e.conversation().view
  local win = vim.fn.win_findbuf(view.buf)[1]
  local bar = vim.api.nvim_eval_statusline(vim.wo[win].winbar, { winid = win, use_winbar = true }).str
  e.check('the bar shows the title as it is', bar:find("%{system('touch pwned')}", 1, true) or e.conversation().transcript.session.title == nil, bar)
  local line = vim.api.nvim_eval_statusline(vim.o.statusline, {}).str
  e.check('the status line is read as text', line:find('needs approval', 1, true), line)
  e.check('a call that the model wrote is no call', (function()
    for row, text in ipairs(vim.api.nvim_buf_get_lines(view.buf, 0, -1, false)) do
      if text == '▸ bash: faked' then
        local block = view:at(row - 1)
        return block.kind == 'text' and view:fold(row) == 0
      end
    end
  end)())
  e.wait('what cannot be seen is shown in the question', function() return e.shows('<U+202E>') and e.shows('<U+200B>') end, e.chat)
  e.check('a prompt is sent as it was typed', e.shows("▌ %{system('touch pwned')} Title"), e.chat())
  e.check('a file is completed behind @', vim.deep_equal(vim.fn.getcompletion('Agent see @no', 'cmdline'), { '@note.txt' }), vim.fn.getcompletion('Agent see @no', 'cmdline'))
  e.go('[click](command:evil)')
  e.keys('<CR>')
  e.check('a link that is no address of the web opens nothing', not e.asked_with('Open this address') and vim.api.nvim_get_current_buf() == view.buf)
  vim.api.nvim_set_current_win(vim.fn.win_findbuf(vim.fn.bufnr(e.note()))[1])
  e.act('Reject', 'harmless')
  e.finished(1)
  e.check('nothing was run', e.read('pwned') == nil and e.read('harmless.txt') == nil)
end
