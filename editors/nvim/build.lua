-- The build step for plugin managers: fetches or builds the program into bin/. `nvim -l build.lua` does it by hand.
local here = vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p')))
local install = dofile(here .. '/lua/agent-sidecar/install.lua')

local ok, message = install.now({ to = here })
print('agent-sidecar: ' .. message)
if not ok then error('agent-sidecar: ' .. message, 0) end
