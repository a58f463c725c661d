-- The agent calls a tool that the person has written into setup(): asked about, run here, and its text is in the answer. One that fails
-- says why.
return function(e)
  e.begin({
    approvals = { popup = true, idle_ms = 0 },
    host_tools = {
      ticket = {
        description = 'Shows a ticket by its number.',
        input_schema = { type = 'object', properties = { number = { type = 'integer' } }, required = { 'number' } },
        run = function(input, done) vim.defer_fn(function() done('Ticket ' .. input.number .. ': the lamp is broken.') end, 10) end,
      },
      lost = { description = 'Fails, always.', run = function() error('there is no ticket office', 0) end },
    },
  }, 'note.txt')
  e.attached()
  vim.cmd('Agent Show ticket 7.')
  e.answer_review('config', 'Trust this folder')
  e.answer_review('tool', 'Allow once')
  e.finished(1)
  e.check('its text is in the answer', e.shows('The lamp is broken.'), e.chat())
  vim.cmd('Agent Show the lost one.')
  e.answer_review('tool', 'Allow once')
  e.finished(2)
  e.check('a failure is told in its words', e.shows('There is no office.'), e.chat())
end
