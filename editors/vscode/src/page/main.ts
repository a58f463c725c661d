// The chat page: it says that it is there, and with the first answer it knows in which
// language to speak.
import './style.css';
import type { ToPage } from '../chat/messages';
import { App } from './app';
import { leaveChordsToTheEditor } from './chord';
import { el } from './dom';
import { Host } from './conversation/host';
import { speak } from './strings';

let app: App | undefined;
const early: Exclude<ToPage, { type: 'answer' | 'hello' }>[] = [];

const host = new Host((m) => {
  if (m.type === 'hello') {
    if (app) return;
    speak(m.locale, m.strings);
    document.documentElement.lang = m.locale;
    const root = el('div', { class: 'app' });
    document.body.append(root);
    app = new App(host, root);
    app.begin(m.sidecar, m.state);
    for (const e of early.splice(0)) app.told(e);
  } else if (app) app.told(m);
  else early.push(m);
});
leaveChordsToTheEditor();
host.ready();
