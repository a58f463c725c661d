-- What is taken back in the chat: one file of a run, then the rest of it.
return function(e)
  e.begin({ approvals = { popup = true, idle_ms = 0 } })
  e.attached()
  vim.cmd('Agent Change both.')
  e.answer_review('config', 'Always')
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
end
