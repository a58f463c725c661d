-- The lines of editors/README.md for Neovim, as they stand there.
return function(e)
	vim.fn.mkdir('.git')
	local lines = e.read(vim.env.README):match('```lua\n(.-)\n```')
	e.check('the README has lines for Neovim', lines)
	e.configure(lines, e.note())
	e.check('the folder is the repository', e.client.root_dir == vim.fn.getcwd() or e.client.config.root_dir == vim.fn.getcwd(), e.client.root_dir)

	vim.cmd('Agent Change the note.')
	e.wait('the command is asked about', function() return e.question_of('bash') end, e.pending)
	e.check('the prompt is whole', e.last('begin') and e.last('begin').title:find('Change the note.', 1, true), e.progress)
	-- The mapping opens Neovim's menu of code actions, where a person picks.
	function e.choose(items)
		for _, item in ipairs(items) do
			if (item.action and item.action.title or ''):find('Allow once: echo changed', 1, true) then return item end
		end
	end
	vim.api.nvim_feedkeys(vim.keycode('<leader>a'), 'mx', false)
	e.wait('the mapping and a choice change the file', function() return e.read(e.note()) == 'changed\n' end, function() return e.questions end)
	e.ended(1)
end
