-- Keys of providers. A key comes from the environment; one that is typed here is in the environment of the sidecar until Neovim
-- ends, and nowhere else: not in a file, a log, a register, or the environment of other programs.
local M = {}

local t = require('agent-sidecar.locale').t
local output = require('agent-sidecar.output')

local given = {} --- @type table<string, string> by the name of the variable

--- Calls start with the keys in the environment of Neovim, which what is started inherits, and takes them out again.
function M.around(start)
  local before = {}
  for name, key in pairs(given) do
    before[name] = vim.env[name] or false
    vim.env[name] = key
  end
  local results = vim.F.pack_len(pcall(start))
  for name, old in pairs(before) do vim.env[name] = old or nil end
  if not results[1] then error(results[2], 0) end
  return unpack(results, 2, results.n)
end

--- How a key is kept for good, in words.
function M.advice(variable)
  return t('to keep it, set %s in the environment that Neovim is started in, or in setup({ env = { %s = … } }); :help agent-sidecar-keys', variable, variable)
end

local function take(project, provider)
  local variable = provider.keyEnv[1]
  local key = output.secret(t('Key for %s (not stored; this Neovim only): ', provider.name))
  if not key or vim.trim(key) == '' then return project.tell(t('no key was given for %s: %s', provider.name, M.advice(variable))) end
  key = vim.trim(key)
  if key:find('[^\33-\126]') then return project.tell(t('API keys contain only ASCII characters and no spaces'), vim.log.levels.WARN) end
  given[variable] = key
  project:restart(function(_, why)
    if why then return project.tell(why, vim.log.levels.ERROR) end
    require('agent-sidecar.models').list(project, t('The key for %s is in use until Neovim ends; %s', provider.name, M.advice(variable)))
  end)
end

-- restarts asks before a run at work is interrupted.
local function restarts(project, done)
  for _, conversation in pairs(project.conversations) do
    if conversation.transcript.live then
      local go = t('Restart and continue')
      return output.choose({ t('Cancel'), go }, { prompt = t('A new key needs a restart of the sidecar. The current run is interrupted and then continued.'), kind = 'agent-sidecar.restart' }, function(choice)
        if choice == go then done() end
      end)
    end
  end
  done()
end

--- `:AgentKey`: takes the key of a provider, and says how to keep it.
--- @param name string? of the provider
function M.ask(project, name)
  project:ask('agent/status', {}, function(result)
    local providers = vim.tbl_filter(function(provider) return #(provider.keyEnv or {}) > 0 end, result.providers or {})
    project.providers = vim.tbl_map(function(provider) return provider.name end, providers)
    local function chosen(provider)
      if provider then restarts(project, function() take(project, provider) end) end
    end
    if name then
      local provider = vim.iter(providers):find(function(each) return each.name == name end)
      if not provider then return project.tell(t('no provider %s takes a key; those that do: %s', name, table.concat(project.providers, ', ')), vim.log.levels.WARN) end
      return chosen(provider)
    end
    output.choose(providers, {
      prompt = t('Which provider is the key for?'),
      kind = 'agent-sidecar.key',
      format_item = function(provider) return ('%s · %s%s'):format(provider.name, provider.hasKey and t('has a key') or t('no key'), ' · ' .. table.concat(provider.keyEnv, t(' or '))) end,
    }, chosen)
  end)
end

return M
