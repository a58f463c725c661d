// The document of the chat view. Nothing in it comes from outside: what is shown is built
// by the page's script, and the policy lets no other script run, nothing be loaded but the
// extension's own files and images that are in the text already, and nothing be sent.

export interface Sources { nonce: string; cspSource: string; script: string; styles: string[]; lang: string; title: string }

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
