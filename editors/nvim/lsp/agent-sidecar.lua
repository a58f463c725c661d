-- For vim.lsp.enable('agent-sidecar') of Neovim 0.11: the same client as setup() starts. Call setup({ autostart = false }) for the
-- commands and the chat.
local binary = require('agent-sidecar.binary')
local client = require('agent-sidecar.client')

local config = client.config(nil, binary.command() or { binary.own(), 'serve' })
config.cmd_cwd = nil
config.root_dir = function(bufnr, use)
  local root = require('agent-sidecar.root').of(bufnr, true)
  if not root then return end
  require('agent-sidecar.project').get(root)
  use(root)
end
return config
