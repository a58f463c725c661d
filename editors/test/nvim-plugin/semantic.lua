-- The agent asks the language servers of this Neovim: gopls and that of TypeScript, attached as a person's configuration does it. What
-- is unsaved counts, a file that is not open is loaded and not shown, and a rename changes the disk and the buffer.
return function(e)
  local function write(name, text)
    local f = assert(io.open(name, 'w'))
    f:write(text)
    f:close()
  end
  write('go.mod', 'module example\n\ngo 1.21\n')
  write('a.go', 'package example\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n')
  write('b.go', 'package example\n\nvar Saved = Add(1, 2)\n')
  write('tsconfig.json', '{"compilerOptions": {"strict": true}, "include": ["*.ts"]}\n')
  write('c.ts', '/** It adds. */\nexport function plus(a: number, b: number) { return a + b; }\n')
  write('d.ts', 'import { plus } from "./c";\nexport const saved = plus(1, 2);\n')
  local servers = { go = { vim.env.GOPLS }, typescript = { vim.env.TYPESCRIPT, '--stdio' } }
  vim.cmd('filetype on')
  vim.api.nvim_create_autocmd('FileType', {
    pattern = { 'go', 'typescript' },
    callback = function(event)
      local options = event.match == 'typescript' and { preferences = { providePrefixAndSuffixTextForRename = false } } or nil -- names, no aliases
      vim.lsp.start({ name = event.match, cmd = servers[event.match], root_dir = vim.fn.getcwd(), init_options = options }, { bufnr = event.buf })
    end,
  })
  local function open(name, line, text)
    vim.cmd.edit(name)
    local buf = vim.api.nvim_get_current_buf()
    vim.api.nvim_buf_set_lines(buf, line - 1, line, false, { text })
    e.wait('a language server is attached to ' .. name, function()
      local there = vim.lsp.get_clients({ bufnr = buf, name = vim.bo[buf].filetype })[1]
      return there and there.initialized
    end)
    return buf
  end

  e.begin({ approvals = { popup = true, idle_ms = 0 } }, 'note.txt')
  e.attached()
  vim.cmd('Agent Trust me.')
  e.answer_review('config', 'Trust this folder')
  e.finished(1)

  local b = open('b.go', 3, 'var Größe, Typed = 1, Add(1, 2)')
  vim.cmd('Agent Look at Go.')
  e.finished(2)
  e.check('gopls answers for Go', e.shows('Go is renamed.'), e.chat())
  e.check('a file that is not open is renamed on the disk', e.read('a.go') == 'package example\n\n// Sum adds.\nfunc Sum(a, b int) int { return a + b }\n', e.read('a.go'))
  e.check('an unsaved buffer is renamed in its place', vim.api.nvim_buf_get_lines(b, 2, 3, false)[1] == 'var Größe, Typed = 1, Sum(1, 2)', vim.api.nvim_buf_get_lines(b, 0, -1, false))
  e.check('and is not saved', vim.bo[b].modified and e.read('b.go') == 'package example\n\nvar Saved = Add(1, 2)\n', e.read('b.go'))

  local d = open('d.ts', 2, 'export const größe = 1, typed = plus(1, 2);')
  vim.cmd('Agent Look at TypeScript.')
  e.finished(3)
  e.check('the server of TypeScript answers', e.shows('TypeScript is renamed.'), e.chat())
  e.check('its file is renamed on the disk', e.read('c.ts') == '/** It adds. */\nexport function sum(a: number, b: number) { return a + b; }\n', e.read('c.ts'))
  e.check('its buffer in its place', vim.api.nvim_buf_get_lines(d, 0, 2, false)[2] == 'export const größe = 1, typed = sum(1, 2);', vim.api.nvim_buf_get_lines(d, 0, -1, false))
  vim.cmd('Agent Look at a note.')
  e.finished(4)
  e.check('a file that nobody knows anything of is said to be one', e.shows('Nobody knows.'), e.chat())
  vim.cmd('silent! wall')
end
