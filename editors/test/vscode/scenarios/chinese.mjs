// The main job in Simplified Chinese: every word of the extension is, and nothing of it depends on the language.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, is } from '../checks.mjs';
import main from './main.mjs';

const chinese = /[\u4e00-\u9fff]/;

export default (stage) => main(stage, {
  language: 'zh-cn',
  words: { review: '审阅差异：edit note.txt', reject: '拒绝：edit note.txt', allow: '允许', once: '允许一次：edit note.txt' },
  async look(window, chat) {
    await check('the chat speaks Chinese', async () => {
      const words = await chat.box.getAttribute('placeholder');
      if (!chinese.test(words)) throw new Error(words);
    });
    await check('no word of the page is left in English', async () => {
      const left = await chat.page.locator('body').evaluate((body) => {
        const seen = [];
        for (const node of body.querySelectorAll('button, [aria-label], [title], [placeholder]')) {
          const label = node.getAttribute('aria-label') ?? node.getAttribute('title') ?? node.getAttribute('placeholder') ?? node.textContent;
          if (label?.trim()) seen.push(label.trim());
        }
        return seen;
      });
      // Names are no words of the page: the model, the agent, the file.
      const english = left.filter((l) => !chinese.test(l) && !/^(openai\/)?scripted$|^build$|note\.txt|^[\d.k/]+$/.test(l));
      if (english.length) throw new Error(english.join(' | '));
    });
    await check('so does the title of its view', () => window.page.locator('.part.sidebar .composite.title').filter({ hasText: chinese }).first().waitFor());
    const words = JSON.parse(readFileSync(join(process.env.TOP, 'editors/vscode/package.nls.json'), 'utf8'));
    const translated = JSON.parse(readFileSync(join(process.env.TOP, 'editors/vscode/package.nls.zh-cn.json'), 'utf8'));
    is('every word of the contributions has a translation', Object.keys(words).every((k) => translated[k]), Object.keys(words).filter((k) => !translated[k]).join());
  },
});
