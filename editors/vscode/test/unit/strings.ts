// Finds the words of the extension in its sources: each first argument of l10n.t.
import { readdirSync, readFileSync } from 'node:fs';

export function sources(): { file: string; text: string }[] {
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((f) => /\.ts$/.test(f)).map((file) => ({ file, text: readFileSync(`src/${file}`, 'utf8') }));
}

export function translated(): { words: Set<string>; odd: string[] } {
  const words = new Set<string>(), odd: string[] = [];
  for (const { file, text } of sources()) {
    for (const call of text.matchAll(/\bl10n\.t\(\s*/g)) {
      const rest = text.slice(call.index + call[0].length);
      const literal = /^'((?:[^'\\\n]|\\.)*)'|^"((?:[^"\\\n]|\\.)*)"|^`((?:[^`\\$]|\\.)*)`/.exec(rest);
      if (!literal) odd.push(`${file}: ${rest.slice(0, 40)}`);
      else words.add((literal[1] ?? literal[2] ?? literal[3]).replace(/\\n/g, '\n').replace(/\\(.)/g, '$1'));
    }
  }
  return { words, odd };
}
