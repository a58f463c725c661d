-- What is taken back in the chat: one file of a run, then the rest of it, then the prompt itself, in a fork.
return function(e)
  e.begin({ approvals = { popup = true, idle_ms = 0 } })
  e.attached()
  vim.cmd('Agent Change both.')
  e.answer_review('config', 'Trust this folder')
  e.finished(1)
  e.check('both are changed', e.read(e.note()) == 'as the agent has it\n' and e.read('other.txt') == 'of the agent\n', e.chat())

  e.go('  M note.txt +1 −1')
  e.keys('gu')
  e.wait('one file is asked about', function() return e.asked_with('Undo: ') end, function() return e.told end)
  e.check('only that one', e.asked_with('Undo: ').prompt == 'Undo: note.txt' and e.asked_with('Undo: ').labels[1] == 'Cancel', e.asked_with('Undo: '))
  e.stays('without a yes nothing comes back', function() return e.read(e.note()) == 'as the agent has it\n' end)
  e.want = { 'Undo 1 file' }
  e.go('  M note.txt +1 −1')
  e.keys('gu')
  e.wait('it comes back', function() return e.read(e.note()) == 'as it was\n' end, function() return { e.asked, e.told } end)
  e.wait_chat('undone: 1 file: note.txt')
  e.check('the other stays', e.read('other.txt') == 'of the agent\n')

  e.want = { 'Undo 1 file' }
  e.go('— done')
  e.keys('gu')
  e.wait('the rest of the run comes back', function() return e.read('other.txt') == nil end, function() return { e.asked, e.told } end)

  -- The prompt is written anew. Nothing is made before it is sent.
  local first = e.conversation()
  e.go('— done')
  e.keys('ge')
  e.check('what is no prompt is not edited', e.told[#e.told]:find('put the cursor on a prompt', 1, true), e.told)
  e.go('▌ Change both.')
  e.keys('ge')
  vim.cmd.stopinsert()
  e.check('its words stand in the window for a prompt', vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), { 'Change both.' }), vim.api.nvim_buf_get_lines(0, 0, -1, false))
  e.check('which says that a fork is meant', (vim.b.agent_sidecar_bar or ''):find('in a fork', 1, true), vim.b.agent_sidecar_bar)
  e.keys('q')
  e.go('▌ Change both.')
  e.keys('i')
  vim.cmd.stopinsert()
  e.check('a prompt that is written after it is none of a fork', not (vim.b.agent_sidecar_bar or ''):find('in a fork', 1, true), vim.b.agent_sidecar_bar)
  e.keys('q')
  e.go('▌ Change both.')
  e.keys('ge')
  vim.cmd.stopinsert()
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'Say it otherwise.' })
  e.keys('<CR>')
  e.wait('it runs in a fork', function() return e.conversation().id ~= first.id and e.shows('I say it otherwise.') end, function() return { e.chat(), e.told } end)
  e.finished(1)
  e.check('which begins before it', not e.shows('Change both') and not e.shows('Both are changed'), e.chat())
  e.check('the conversation stays as it was', first.transcript:find('prompt', first.transcript.run) ~= nil and first.transcript.spoken == 1)

  -- A prompt that is too long for the log is edited whole.
  local long = {}
  for i = 1, 6000 do long[i] = ('line %d of many'):format(i) end
  require('agent-sidecar.prompt').send(first.project, table.concat(long, '\n'), { fresh = true })
  e.wait('it is answered', function() return e.conversation().id ~= first.id and e.shows('That is long.') end, function() return { e.chat(), e.told } end)
  e.finished(1)
  e.go('▌ [a text of ')
  e.keys('ge')
  e.wait('it is read again', function() return vim.bo.filetype == 'agent-sidecar-prompt' end, function() return e.told end)
  vim.cmd.stopinsert()
  e.check('all of it stands in the window for a prompt', vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), long), vim.api.nvim_buf_line_count(0))
end
