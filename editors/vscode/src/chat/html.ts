// The document of the chat view. Nothing in it comes from outside: what is shown is built
// by the page's script, and the policy lets no other script run, nothing be loaded but the
// extension's own files and images that are in the text already, and nothing be sent.

export interface Sources { nonce: string; cspSource: string; script: string; styles: string[]; lang: string; title: string }

export interface Elsewhere { cspSource: string; styles: string[]; lang: string; text: string; command: string; action: string }

const attribute = (text: string) => text.replace(/[&"<>]/g, (c) => `&#${c.charCodeAt(0)};`);

export function html(s: Sources): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${s.nonce}'`,
    `style-src ${s.cspSource}`,
    `font-src ${s.cspSource}`,
    `img-src ${s.cspSource} data:`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${attribute(s.lang)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${attribute(s.title)}</title>
${s.styles.map((href) => `<link rel="stylesheet" href="${attribute(href)}">`).join('\n')}
</head>
<body>
<script nonce="${attribute(s.nonce)}" src="${attribute(s.script)}"></script>
</body>
</html>
`;
}

/** A document that says that the chat is somewhere else. Nothing runs in it; its one link is a command of the extension. */
export function elsewhere(s: Elsewhere): string {
  return `<!DOCTYPE html>
<html lang="${attribute(s.lang)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(`default-src 'none'; style-src ${s.cspSource}`)}">
<title>agent-sidecar</title>
${s.styles.map((href) => `<link rel="stylesheet" href="${attribute(href)}">`).join('\n')}
</head>
<body>
<main class="elsewhere"><p>${attribute(s.text)}</p><p><a href="command:${attribute(s.command)}">${attribute(s.action)}</a></p></main>
</body>
</html>
`;
}
