// The languages whose code is coloured, by what stands behind the fence. One that is not
// here stays plain: nothing is guessed.
import type { LanguageFn } from 'highlight.js';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import lua from 'highlight.js/lib/languages/lua';
import makefile from 'highlight.js/lib/languages/makefile';
import php from 'highlight.js/lib/languages/php';
import powershell from 'highlight.js/lib/languages/powershell';
import protobuf from 'highlight.js/lib/languages/protobuf';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

/** Keys and values by lines. The library's own looks from each quote to the end of the text for a key in quotes. */
const ini: LanguageFn = (hljs) => ({
  contains: [
    hljs.COMMENT(/[;#]/, /$/),
    { scope: 'section', begin: /^\s{0,20}\[/, end: /$/ },
    { scope: 'attr', begin: /^\s{0,20}[\w.-]{1,100}(?=\s{0,20}=)/ },
    { scope: 'string', begin: /"""/, end: /"""/ },
    { scope: 'string', begin: /'''/, end: /'''/ },
    { scope: 'string', begin: /"/, end: /"|$/, contains: [{ begin: /\\./ }] },
    { scope: 'string', begin: /'/, end: /'|$/ },
    { scope: 'literal', begin: /\b(?:true|false|on|off|yes|no)\b/ },
    { scope: 'number', begin: /\b\d[\w.:+-]{0,40}/ },
  ],
});

/** Each by its own name. TypeScript reads JavaScript as well. */
export const languages: Record<string, LanguageFn> = {
  bash, c, cpp, csharp, css, diff, dockerfile, go, ini, java, json, kotlin, lua, makefile, php, powershell, protobuf, python, ruby, rust, sql, swift, typescript, xml, yaml,
};

const others: Record<string, string> = {
  bash: 'sh shell zsh', c: 'h', cpp: 'c++ cc cxx hpp', csharp: 'cs c#', diff: 'patch', dockerfile: 'docker', go: 'golang', ini: 'toml', json: 'jsonc json5', kotlin: 'kt kts', makefile: 'make mk',
  powershell: 'ps1 pwsh', protobuf: 'proto', python: 'py', ruby: 'rb', rust: 'rs', typescript: 'ts tsx js jsx javascript mjs cjs mts cts', xml: 'html xhtml svg', yaml: 'yml',
};
const names = new Map(Object.keys(languages).flatMap((name) => [name, ...(others[name]?.split(' ') ?? [])].map((n) => [n, name] as const)));

/** The language that a fence says it has; undefined: it stays plain. */
export const languageOf = (fence: string): string | undefined => names.get(fence.toLowerCase());
