local Chooser = require('chooser')
local rules = require('agent-sidecar.rules')

describe('the rules', function()
  local person
  before_each(function() person = Chooser.new() end)
  after_each(function() person:leave() end)

  local stored = {
    { domain = 'bash', pattern = '*', decision = 'ask', source = 'built-in', index = 6 },
    { domain = 'bash', pattern = 'git\27 *', decision = 'allow', source = 'config', index = 0, file = '/c', line = 3 },
    { domain = 'edit', pattern = 'vault:/a.lua', decision = 'allow', source = 'always', by = 'always', exact = true, workspace = 'here', index = 0 },
    { domain = 'edit', pattern = 'vault:/b.lua', decision = 'deny', source = 'always', by = 'always', workspace = 'there', runner = 'box', index = 1 },
  }
  local function project(list, servers)
    local p = person:project(function(method, params)
      if method == 'agent/mcp' then return { servers = servers } end
      if method == 'agent/rules' then return { rules = params.op == 'list' and list or {}, workspace = 'here' } end
      if method == 'agent/config' then return { effective = { mcp = { docs = { command = { 'x' } }, old = { enabled = false } }, hooks = { ['tool.execute.before'] = { {}, {} } } } } end
    end)
    p.capabilities = function() return { agents = { { name = 'build', description = 'Works.', mode = 'primary' } } } end
    return p
  end

  it('that are stored are shown in words, and what else is set up below them', function()
    rules.choose(project(stored))
    assert.equal('Permission rules: choose one to remove it', person.prompt)
    assert.same({
      'allow commands: git<U+001B> *, in every folder (from the configuration file)',
      'allow changing files: a.lua, in this folder (from an answer of yours)',
      'deny changing files: on box: b.lua, in another folder (there) (from an answer of yours)',
      'MCP server docs: on', 'MCP server old: off', 'hooks at tool.execute.before: 2', 'agent build: Works.',
    }, person.labels)
  end)

  it('go after a yes, and not before', function()
    local p = project(stored)
    person.want = 'allow changing files'
    rules.choose(p)
    assert.same({ 'Cancel', 'Remove' }, person.labels)
    assert.same({ 'agent/rules', 'agent/config', 'agent/mcp' }, vim.tbl_map(function(r) return r[1] end, person.requests))
    local choose = vim.ui.select
    vim.ui.select = function(items, options, done)
      person.want = vim.tbl_contains(items, 'Remove') and 'Remove' or 'allow changing files'
      choose(items, options, done)
    end
    rules.choose(p)
    assert.same({ op = 'remove', rule = { domain = 'edit', pattern = 'vault:/a.lua', decision = 'allow', workspace = 'here', exact = true, by = 'always', source = 'always', index = 0 } }, person.requests[#person.requests][2])
    assert.truthy(person.told[1]:find('the rule is removed: allow changing files: a.lua', 1, true), person.told[1])
  end)

  it('that are none are said to be none, and what is only to be read is not asked about', function()
    local p = project({ stored[1] })
    person.want = 'MCP server docs'
    rules.choose(p)
    assert.equal('No rules are stored yet', person.prompt)
    assert.same({ 'agent-sidecar: this is set up in your configuration' }, person.told)
    assert.equal(3, #person.requests)
  end)

  it('are beside the servers, and one that wants it is signed in to after a yes', function()
    local server = { name = 'docs', state = 'needs_sign_in', maySignIn = true, problem = 'it needs you' }
    local p = project({}, { server })
    local opened
    local open, choose = vim.ui.open, vim.ui.select
    vim.ui.open = function(url) opened = url end
    vim.ui.select = function(items, options, done)
      person.want = vim.tbl_contains(items, 'Sign in') and 'Sign in' or 'MCP server docs: needs sign-in'
      choose(items, options, done)
    end
    rules.choose(p)
    vim.ui.open, vim.ui.select = open, choose
    assert.same({ op = 'signIn', server = 'docs' }, person.requests[#person.requests][2])
    assert.is_nil(opened)
    assert.truthy(person.prompt:find('it needs you', 1, true), person.prompt)
  end)

  it('are beside the servers, and one that is signed in to is signed out of', function()
    local p = project({}, { { name = 'docs', state = 'ready', maySignIn = true, signedIn = true } })
    local choose = vim.ui.select
    vim.ui.select = function(items, options, done)
      person.want = vim.tbl_contains(items, 'Sign out') and 'Sign out' or 'MCP server docs: on'
      choose(items, options, done)
    end
    rules.choose(p)
    vim.ui.select = choose
    assert.same({ op = 'signOut', server = 'docs' }, person.requests[#person.requests][2])
    assert.same({ 'agent-sidecar: signed out of docs' }, person.told)
  end)
end)
