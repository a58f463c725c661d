-- A file that the person has changed and not saved: the agent changes it in the buffer, nowhere else, and u takes it back. Once it is
-- saved, the agent changes the file on the disk, and Neovim loads it again.
local function lines() return vim.api.nvim_buf_get_lines(0, 0, -1, false) end
local function shows(...)
	local want = { ... }
	return function() return vim.deep_equal(lines(), want) end
end
-- allow says yes to the edit that is asked about, by its command.
local function allow(e)
	e.wait('the edit is asked about', function() return e.question_of('edit') end, e.pending)
	local q = e.question_of('edit') or {}
	e.command('reviewDiff', q.approvalId)
	local answer = e.command('approve', { approvalId = q.approvalId, decision = 'once' })
	e.check('the yes is applied', answer.result and answer.result.status == 'applied', answer)
end

return function(e)
	vim.o.autoread = true
	e.start(e.note(), vim.fn.getcwd())
	local buffer = vim.api.nvim_get_current_buf()
	vim.api.nvim_buf_set_lines(0, 1, 1, false, { 'typed 😀 here' })
	vim.cmd('normal! gg0')
	e.wait('the change is sent', function() return (e.read(vim.env.LOGS .. '/to-sidecar') or ''):find('didChange"', 1, true) end)
	e.run('Change the note.')
	allow(e)
	vim.api.nvim_set_current_buf(buffer) -- the review may have been opened
	e.wait('the buffer shows the edit', shows('as it was', 'typed 😀 there', 'and more'), lines)
	e.ended(1)
	e.check('it is not saved', vim.bo.modified and e.read(e.note()) == 'as it was\n', e.read(e.note()))
	e.check('the cursor stayed', vim.deep_equal(vim.api.nvim_win_get_cursor(0), { 1, 0 }), vim.api.nvim_win_get_cursor(0))
	vim.cmd('normal! u')
	e.check('u takes it back', shows('as it was', 'typed 😀 here')(), lines())
	vim.cmd.redo()
	e.check('and redo makes it again', shows('as it was', 'typed 😀 there', 'and more')(), lines())

	vim.cmd.write()
	e.run('Again.')
	allow(e)
	e.wait('the file is changed on the disk', function() return e.read(e.note()) == 'as it is\ntyped 😀 there\nand more\n' end, function() return e.read(e.note()) end)
	e.ended(2)
	vim.api.nvim_set_current_buf(buffer)
	vim.cmd.checktime()
	e.wait('and loaded again', shows('as it is', 'typed 😀 there', 'and more'), lines)
	e.wait('the agent said so', function() return (e.messages[#e.messages] or ''):find('The note is changed again.', 1, true) end, function() return e.messages end)
	e.stop()
end
