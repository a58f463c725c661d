-- A program that never answers: what waits for it is said, and :AgentRestart ends it and starts the right one.
return function(e)
  local program = vim.env.TMPDIR .. '/silent'
  vim.fn.writefile({ '#!/bin/sh', 'echo $$ > "$0.pid"; exec cat > /dev/null' }, program)
  vim.uv.fs_chmod(program, 493)
  e.begin({ cmd = { program, 'serve' } })
  e.wait('it is started', function() return (e.read(program .. '.pid') or ''):find('\n') end)
  local pid = tonumber(e.read(program .. '.pid'))
  vim.cmd('Agent Hello.')
  vim.cmd('silent checkhealth agent-sidecar')
  local health = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  vim.cmd('silent bwipeout!')
  e.check(':checkhealth says that it has not answered', health:find('started, but it has not answered yet', 1, true), health)
  require('agent-sidecar.config').options.cmd = nil -- what somebody does who has mended the configuration
  vim.cmd.edit(e.note())
  vim.cmd('AgentRestart')
  e.wait('it is ended', function() return vim.uv.kill(pid, 0) ~= 0 end)
  e.attached()
  e.finished(1)
  e.check('what waited has run', e.shows('▌ Hello.') and e.shows('Hello.\n'), e.chat())
end
