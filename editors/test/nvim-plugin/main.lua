-- The main job: prompt, stream, a yes by code action, a changed file, its whole output, an explorer, undo. main.after.sh begins
-- another Neovim, which finds the session.
return function(e)
  e.begin()
  e.attached()
  e.check('the file is attached before anybody asked', vim.lsp.buf_is_attached(0, e.client.id))
  local capabilities = e.client.server_capabilities.experimental.agentSidecar
  e.check('it is a marker client', capabilities and capabilities.version == require('agent-sidecar.protocol').version, e.client.server_capabilities.experimental)

  vim.cmd('Agent Change the note.')
  e.wait_chat('▌ Change the note.')
  e.check('the cursor stays in the file', vim.api.nvim_buf_get_name(0) == e.note())
  e.wait('LspProgress begins', function() return e.last('begin') end, function() return e.progress end)
  e.wait_chat('I **change** it.')
  e.wait('the command is asked about', function() return e.question('bash') end)
  e.wait_chat('┃   $ printf')
  e.check('nothing has run', e.read(e.note()) == 'as it was\n')
  e.check('the status line says that it waits', require('agent-sidecar').statusline():find('needs approval', 1, true), require('agent-sidecar').statusline())

  local offers = e.offers()
  e.check('the file offers "Allow once"', e.offered(offers, 'Allow once: ', 'printf'), e.titles(offers))
  e.act('Allow once: ', 'printf')
  e.wait('the file is changed on disk', function() return e.read(e.note()) == 'changed\n' end, function() return e.read(e.note()) end)
  e.wait('and in the buffer', function() return vim.api.nvim_buf_get_lines(vim.fn.bufnr(e.note()), 0, -1, false)[1] == 'changed' end)
  e.finished(1)
  e.check('the run ended well', e.shows('— done'), e.chat())
  e.check('the question shows its answer', e.shows('┃ allowed once: bash:'), e.chat())
  e.wait('LspProgress ended', function() return e.last('end') end, function() return e.progress end)

  -- The sub-agent is below its call, its calls one deeper.
  e.check('what the explorer said is below its call', e.shows('│ I search.') and e.shows('│ ▸ search'), e.chat())
  local row = e.go('▸ explore: find the note')
  e.check('the explorer is folded', vim.fn.foldclosed(row) == row, { row, vim.fn.foldclosed(row) })
  e.keys('zo')
  local inner = e.go('│ ▸ search')
  e.check('its call is a fold in the fold', vim.fn.foldlevel(inner) == 2 and vim.fn.foldclosed(inner) == inner, { vim.fn.foldlevel(inner), vim.fn.foldclosed(inner) })

  -- The truncated result.
  row = e.go('▸ bash: printf')
  e.wait('the output is folded', function() return vim.fn.foldclosed(row) == row end, function() return { row, vim.fn.foldclosed(row), e.chat() } end)
  e.keys('zo')
  e.go('truncated: go opens the full output')
  e.keys('go')
  e.wait('the whole output is opened', function() return e.buffer_with('\n19999\n20000') end)
  local artifact = e.buffer_with('\n19999\n20000')
  e.check('it is read only, without modelines', artifact and not vim.bo[artifact].modifiable and not vim.bo[artifact].modeline)
  e.check('it has every line and no other', artifact and vim.api.nvim_buf_line_count(artifact) == 20000, artifact and vim.api.nvim_buf_line_count(artifact))
  e.keys('q')

  -- A citation.
  e.go('note.txt:1.')
  e.keys('<CR>')
  e.check('a citation opens its file', vim.api.nvim_buf_get_name(0) == e.note() and vim.fn.line('.') == 1, vim.api.nvim_buf_get_name(0))

  -- Undo.
  e.want = { 'Undo 1 file' }
  vim.cmd('AgentUndo')
  e.wait('the file is as it was', function() return e.read(e.note()) == 'as it was\n' end, function() return { e.asked[#e.asked], e.told } end)
  e.check('what would come back was shown before', e.asked_with('Undo: note.txt') and e.asked_with('Undo: note.txt').labels[1] == 'Cancel', e.asked[#e.asked])
  e.wait_chat('undone: 1 file: note.txt')
  e.wait('the buffer too', function() return vim.api.nvim_buf_get_lines(0, 0, -1, false)[1] == 'as it was' end)
end
