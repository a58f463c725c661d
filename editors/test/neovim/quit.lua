-- :qa! behind a finished run. With its defaults Neovim sends shutdown and closes the pipe, mostly without exit; the sidecar's exit
-- code is looked at by play.sh, because the editor is gone by then.
return function(e)
	e.start(e.note(), vim.fn.getcwd())
	e.run('Say hello.')
	e.ended(1)
end
