-- Puts the program into the plugin's bin/: a released one, or one built from the checkout that the plugin is part of.
--
-- What is fetched is named in release.json beside the plugin, with its SHA-256: what comes over the net is checked against what
-- came with the plugin, and nothing is run before. It finds the file of its words beside its own, so build.lua can load it alone.
local M = {}

local t = dofile(vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))) .. '/locale.lua').t

local windows = vim.fn.has('win32') == 1

local function platform()
  local uname = vim.uv.os_uname()
  local system = ({ Linux = 'linux', Darwin = 'darwin' })[uname.sysname] or (windows and 'windows') or uname.sysname:lower()
  local machine = ({ x86_64 = 'amd64', AMD64 = 'amd64', aarch64 = 'arm64', arm64 = 'arm64', ARM64 = 'arm64' })[uname.machine] or uname.machine
  return system .. '-' .. machine
end

local function folder() return vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))))) end

-- run gives whether a program succeeded, and what it wrote. Arguments are a list: no shell reads them. It runs in the plugin's
-- folder: the project in which a person happens to be brings no program, neither by a relative PATH nor on Windows.
local function run(cmd, options)
  local ok, result = pcall(function() return vim.system(cmd, vim.tbl_extend('force', { text = true, timeout = 600000, cwd = folder() }, options or {})):wait() end)
  if not ok then return false, tostring(result) end
  return result.code == 0, vim.trim((result.stdout or '') .. (result.stderr or ''))
end

local function sha256(path)
  for _, cmd in ipairs({ { 'sha256sum', path }, { 'shasum', '-a', '256', path }, { 'certutil', '-hashfile', path, 'SHA256' } }) do
    if vim.fn.executable(cmd[1]) == 1 then
      local ok, out = run(cmd)
      local sum = ok and out:match('%x' .. ('%x'):rep(63))
      if sum then return sum:lower() end
    end
  end
end

-- released gives what release.json names for this platform.
local function released(to)
  local file = io.open(to .. '/release.json', 'rb')
  if not file then return nil, t('this version of the plugin names no release to download') end
  local ok, release = pcall(vim.json.decode, file:read('*a'))
  file:close()
  if not ok or type(release) ~= 'table' then return nil, t('release.json cannot be read') end
  local asset = type(release.assets) == 'table' and release.assets[platform()]
  if not asset then return nil, t('the release has no program for %s', platform()) end
  if type(asset.url) ~= 'string' or not vim.startswith(asset.url, 'https://') then return nil, t('the release is not fetched: its address is not https') end
  if type(asset.sha256) ~= 'string' or not asset.sha256:match('^%x+$') or #asset.sha256 ~= 64 then return nil, t('the release is not fetched: it names no SHA-256') end
  return asset
end

local function fetch(to, new)
  local asset, why = released(to)
  if not asset then return false, why end
  if vim.fn.executable('curl') == 0 then return false, t('curl is not installed') end
  local ok, out = run({ 'curl', '--proto', '=https', '--proto-redir', '=https', '--fail', '--location', '--silent', '--show-error', '--output', new, asset.url })
  if not ok then return false, t('the release could not be downloaded: %s', out) end
  local sum = sha256(new)
  if not sum then return false, t('there is no program to check the SHA-256 with (sha256sum, shasum)') end
  if sum ~= asset.sha256:lower() then return false, t('the download is not the release: its SHA-256 is %s, not %s', sum, asset.sha256) end
  return true, t('fetched %s', asset.url)
end

local function build(to, new)
  local top = vim.fs.dirname(vim.fs.dirname(vim.uv.fs_realpath(to) or to)) -- a package may be a link into the checkout
  if not (vim.uv.fs_stat(top .. '/go.mod') and vim.uv.fs_stat(top .. '/cmd/agent-sidecar')) then return false, t('the plugin is not in a checkout of agent-sidecar, so there is nothing to build') end
  if vim.fn.executable('go') == 0 then return false, t('Go is not installed, so it cannot be built') end
  local ok, out = run({ 'go', 'build', '-trimpath', '-o', new, './cmd/agent-sidecar' }, { cwd = top, env = { CGO_ENABLED = '0' } })
  if not ok then return false, t('go build failed: %s', out:sub(-2000)) end
  return true, t('built from %s', top)
end

--- Does it now and waits.
--- @param options {to: string?}? the plugin's folder
--- @return boolean ok
--- @return string message
function M.now(options)
  local to = options and options.to or folder()
  local bin = to .. '/bin'
  vim.fn.mkdir(bin, 'p')
  local name = bin .. '/agent-sidecar' .. (windows and '.exe' or '')
  local new = bin .. '/new-' .. vim.uv.os_getpid() .. (windows and '.exe' or '')
  local reasons = {}
  for _, way in ipairs({ fetch, build }) do
    local ok, message = way(to, new)
    if ok then
      vim.uv.fs_chmod(new, 493) -- 0755
      local works, version = run({ new, 'version' }, { timeout = 20000 })
      if works and vim.uv.fs_rename(new, name) then return true, ('%s: %s'):format(version, message) end
      message = t('%s, but it does not work here: %s', message, version)
    end
    os.remove(new)
    reasons[#reasons + 1] = message
  end
  return false, t('not installed: %s. Put agent-sidecar into PATH, or name it in the option cmd.', table.concat(reasons, '; '))
end

--- Does it beside the editor's work.
--- @param done fun(ok: boolean, message: string)
function M.run(done)
  local to = folder()
  local script = ('local ok, message = dofile(%q).now({ to = %q }) io.stdout:write(message) os.exit(ok and 0 or 1)'):format(to .. '/lua/agent-sidecar/install.lua', to)
  local file = vim.fn.tempname() .. '.lua'
  vim.fn.writefile(vim.split(script, '\n'), file)
  vim.system({ vim.v.progpath, '-l', file }, { text = true }, function(result)
    vim.schedule(function()
      os.remove(file)
      done(result.code == 0, vim.trim((result.stdout or '') .. (result.stderr or '')))
    end)
  end)
end

return M
