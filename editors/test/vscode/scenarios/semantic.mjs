// The agent asks the language servers of VS Code, here that of its own extension for TypeScript, with the TypeScript that is installed for
// this (code-server comes without one): uses, a definition and its hover, what
// has a name, in text that is not saved. A rename changes the file that is not open on the disk and the unsaved one in its editor.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chat } from '../chat.mjs';
import { check, is, must, read, says } from '../checks.mjs';

export default async (stage) => {
  const file = (name) => join(stage.workspace, name);
  writeFileSync(file('tsconfig.json'), '{"compilerOptions": {"strict": true}, "include": ["*.ts"]}\n');
  writeFileSync(file('c.ts'), '/** It adds. */\nexport function plus(a: number, b: number) { return a + b; }\n');
  const saved = 'import { plus } from "./c";\nexport const saved = plus(1, 2);\n';
  writeFileSync(file('d.ts'), saved);
  const server = await stage.server({ machine: stage.machine, settings: { 'typescript.tsdk': process.env.TSDK, 'typescript.preferences.useAliasesForRenames': false, 'files.autoSave': 'off', 'editor.autoClosingBrackets': 'never', 'editor.quickSuggestions': false, 'editor.suggestOnTriggerCharacters': false } });
  const window = await stage.window(server);
  await must('the window opens', () => window.open());
  await must('a file opens', () => window.openFile('d.ts'));
  await must('something is typed and not saved', async () => {
    await window.editor().click();
    await window.page.keyboard.press('Control+End');
    await window.page.keyboard.type('export const typed = plus(3, 4);');
    await window.editor().getByText('typed').first().waitFor();
  });
  const chat = new Chat(window);
  await must('the chat opens', () => chat.focus());
  await window.widen(120);
  await must('the language server answers', async () => {
    await chat.say('Look at TypeScript.');
    await chat.answer('TypeScript is renamed.').waitFor({ timeout: 90_000 });
  });
  await window.screenshot('renamed');
  await check('the file that is not open is renamed on the disk', () => says(file('c.ts'), '/** It adds. */\nexport function sum(a: number, b: number) { return a + b; }\n'));
  await check('the unsaved one in its editor', () => window.editor().getByText('sum').first().waitFor());
  is('which is not saved', read(file('d.ts')) === saved, read(file('d.ts')));
  is('the sidecar asked with the text that was typed', stage.wire.came('agent/client/semantic').some((m) => m.params.kind === 'references' && m.params.position.line === 2));
};
