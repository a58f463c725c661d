// The settings page, in the browser. It shows what the sidecar says and asks for single
// keys to be written; text is always text, never markup.
import './settings.css';
import { leaveChordsToTheEditor } from '../../page/chord';
import { overrides, type FromSettings, type RuleRow, type SettingsCommand, type Shown, type Sign, type ToSettings, type Value } from '../words';

declare function acquireVsCodeApi(): { postMessage(message: FromSettings): void };

const editor = acquireVsCodeApi();
const root = document.getElementById('root')!;
const status = document.getElementById('status')!;
let strings: Record<string, string> = {};
let shown: Shown | undefined;
let lastId = 0;
const timers = new Map<string, number>(); // of texts that are still being typed

function t(key: string, ...values: unknown[]): string {
  return (strings[key] ?? key).replace(/\{(\d)\}/g, (_, i) => String(values[Number(i)] ?? ''));
}

type Child = Node | string;
function el<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Record<string, string | boolean | (() => void)>, ...children: Child[]): HTMLElementTagNameMap[K] {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') node.addEventListener(key, value);
    else if (typeof value === 'boolean') node.toggleAttribute(key, value);
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

function set(key: string, value: unknown): void {
  status.textContent = t('saving');
  editor.postMessage({ type: 'set', id: ++lastId, key, value });
}

function reset(key: string): void {
  status.textContent = t('saving');
  editor.postMessage({ type: 'reset', id: ++lastId, key });
}

/** Writes a text a moment after the last key, and at once when the field is left. */
function typed(field: HTMLInputElement | HTMLTextAreaElement, key: string, write: (text: string) => void): void {
  const now = () => {
    clearTimeout(timers.get(key));
    if (!timers.delete(key)) return;
    write(field.value);
  };
  field.addEventListener('input', () => {
    clearTimeout(timers.get(key));
    timers.set(key, setTimeout(now, 800) as unknown as number);
  });
  field.addEventListener('change', now);
}

function of(key: string): Value {
  return shown?.values[key] ?? { value: undefined, source: 'default' };
}

function note(value: Value): Child[] {
  return value.source === 'inline' ? [el('p', { class: 'note' }, t('inline'))] : [];
}

function button(command: SettingsCommand): HTMLButtonElement {
  return el('button', { type: 'button', id: `do-${command}`, class: 'secondary', click: () => editor.postMessage({ type: 'command', command }) }, t(command));
}

function section(id: string, title: string, ...children: Child[]): HTMLElement {
  return el('section', { 'aria-labelledby': id }, el('h2', { id }, title), ...children);
}

function model(): HTMLElement {
  const value = of('model');
  const field = el('input', { id: 'model', type: 'text', list: 'models', 'aria-describedby': 'model-help', spellcheck: 'false', autocomplete: 'off', value: String(value.value ?? '') });
  typed(field, 'model', (text) => (text.trim() === '' ? reset('model') : set('model', text.trim())));
  return section('h-model', t('model'),
    el('label', { for: 'model', class: 'hidden' }, t('model')), field,
    el('datalist', { id: 'models' }, ...(shown?.models ?? []).map((name) => el('option', { value: name }))),
    el('p', { id: 'model-help', class: 'help' }, t('modelHelp')), ...note(value),
    el('div', { class: 'buttons' }, button('setApiKey'), button('useLocalServer')));
}

function prompt(): HTMLElement {
  const mode = of('systemPrompt.mode');
  const custom = mode.value === 'custom';
  const choice = (value: 'default' | 'custom', title: string, help: string) =>
    el('div', { class: 'choice' },
      el('input', { type: 'radio', name: 'mode', id: `mode-${value}`, value, checked: custom === (value === 'custom'), 'aria-describedby': `mode-${value}-help`, change: () => choose(value) }),
      el('div', {}, el('label', { for: `mode-${value}` }, title), el('p', { class: 'help', id: `mode-${value}-help` }, help)));
  return section('h-prompt', t('prompt'),
    el('div', { role: 'radiogroup', 'aria-labelledby': 'h-prompt' },
      choice('default', t('promptDefault'), t('promptDefaultHelp')), choice('custom', t('promptCustom'), t('promptCustomHelp'))),
    ...note(mode),
    ...(custom ? customPrompt() : [el('details', { id: 'default-prompt' }, el('summary', { id: 'show-default' }, t('showDefault')), el('pre', { id: 'default-text', tabindex: '0' }, shown?.defaultPrompt ?? ''))]));
}

/** A custom text begins as the default one. Going back changes the mode alone. */
function choose(mode: 'default' | 'custom'): void {
  if (mode === 'custom' && !of('systemPrompt.text').value && shown) set('systemPrompt.text', shown.defaultPrompt);
  set('systemPrompt.mode', mode);
}

function customPrompt(): Child[] {
  const value = of('systemPrompt.text');
  const field = el('textarea', { id: 'text', rows: '14', spellcheck: 'false' });
  field.value = String(value.value ?? '');
  typed(field, 'systemPrompt.text', (text) => set('systemPrompt.text', text));
  const startOver = () => {
    field.value = shown?.defaultPrompt ?? '';
    set('systemPrompt.text', field.value);
  };
  return [
    el('label', { for: 'text' }, t('text')), field, ...note(value),
    el('div', { class: 'buttons' }, el('button', { type: 'button', id: 'start-over', class: 'secondary', click: startOver }, t('startOver'))),
    el('h3', {}, t('params')), el('p', { class: 'help' }, t('paramsHelp')),
    ...overrides.filter((o) => o.custom).map(override),
  ];
}

function override(o: (typeof overrides)[number]): HTMLElement {
  const value = of(o.key);
  const on = value.source !== 'default';
  const name = t(o.key);
  const number = el('input', {
    type: 'number', id: o.key, min: String(o.min), max: String(o.max), step: o.step === 1 ? '1' : 'any',
    disabled: !on, value: typeof value.value === 'number' ? String(value.value) : '',
    placeholder: typeof value.value === 'number' ? t('standard', value.value) : '',
  });
  typed(number, o.key, (text) => {
    const n = Number(text);
    const fits = text.trim() !== '' && Number.isFinite(n) && n >= o.min && n <= o.max && (o.step !== 1 || Number.isInteger(n));
    number.setAttribute('aria-invalid', String(!fits));
    if (fits) set(o.key, n);
    else status.textContent = `${name}: ${t('outside', o.min, o.max)}`;
  });
  const box: HTMLInputElement = el('input', {
    type: 'checkbox', role: 'switch', id: `on-${o.key}`, checked: on, 'aria-label': t('override', name),
    change: () => (box.checked ? set(o.key, typeof value.value === 'number' ? value.value : o.first) : reset(o.key)),
  });
  return el('div', { class: 'row' }, box, el('label', { for: o.key }, name), number, ...note(value));
}

function memory(): HTMLElement {
  const key = 'agents.runtime.memory.enabled';
  const box: HTMLInputElement = el('input', { type: 'checkbox', id: key, checked: of(key).value === true, change: () => set(key, box.checked) });
  return section('h-memory', t('memory'), el('div', { class: 'row' }, box, el('label', { for: key }, t(key))), ...note(of(key)));
}

function rules(): HTMLElement {
  const all = shown?.rules ?? [];
  const [stored, others] = [all.filter((r) => r.stored), all.filter((r) => !r.stored)];
  return section('h-rules', t('rules'), el('p', { class: 'help' }, t('rulesHelp')),
    stored.length ? el('ul', { class: 'rules' }, ...stored.map(rule)) : el('p', { class: 'note' }, t('noRules')),
    el('details', { id: 'other-rules' }, el('summary', { id: 'show-rules' }, t('otherRules', others.length)), el('ul', { class: 'rules' }, ...others.map(rule))));
}

function rule(r: RuleRow, i: number): HTMLElement {
  const remove = () => editor.postMessage({ type: 'removeRule', id: ++lastId, rule: r.rule });
  return el('li', {},
    el('div', {}, el('strong', {}, r.decision), `: ${r.domain} `, el('code', {}, r.pattern), el('p', { class: 'note' }, r.about), ...(r.problem ? [el('p', { class: 'problem' }, r.problem)] : [])),
    ...(r.stored ? [el('button', { type: 'button', id: `remove-${i}`, class: 'secondary', 'aria-label': t('removeNamed', `${r.domain} ${r.pattern}`), click: remove }, t('remove'))] : []));
}

/** What else is set up, to be read. Skills have their place here, too. */
function setUp(): HTMLElement[] {
  return (shown?.setUp ?? []).map(({ kind, items }) => section(`h-${kind}`, t(kind),
    items.length === 0 ? el('p', { class: 'note' }, t('none'))
      : el('ul', { class: 'rules' }, ...items.map((it, i) => el('li', {}, el('div', {}, el('strong', {}, it.name), it.state ? ` · ${it.state}` : '', ...(it.about ? [el('p', { class: 'note' }, it.about)] : [])), ...signing(it.sign, i))))));
}

/** The button for a sign-in, where there is something to do about it. */
function signing(sign: Sign | undefined, i: number): HTMLElement[] {
  if (!sign) return [];
  const click = () => editor.postMessage({ type: 'sign', id: ++lastId, sign });
  return [el('button', { type: 'button', id: `sign-${i}`, class: 'secondary', 'aria-label': `${t(sign.op)}: ${sign.server}`, click }, t(sign.op))];
}

/** Draws everything anew and puts the person back to where they were. */
function draw(): void {
  const active = document.activeElement instanceof HTMLElement ? document.activeElement : undefined;
  const id = active?.id;
  const place = active instanceof HTMLTextAreaElement ? { start: active.selectionStart, end: active.selectionEnd, top: active.scrollTop } : undefined;
  const wasOpen = [...document.querySelectorAll('details')].filter((d) => d.open).map((d) => d.id);
  root.replaceChildren(
    el('h1', {}, t('title')), el('p', { class: 'help' }, t('intro')),
    ...(shown?.problems.length ? [el('div', { class: 'problems', role: 'alert' }, el('h2', {}, t('problems')), el('ul', {}, ...shown.problems.map((p) => el('li', {}, p))))] : []),
    model(), prompt(),
    section('h-limits', t('limits'), el('p', { class: 'help' }, t('limitsHelp')), ...overrides.filter((o) => !o.custom).map(override)),
    memory(), rules(), ...setUp(), el('p', { class: 'help' }, t('setUpHelp')),
    el('div', { class: 'buttons' }, button('openConfiguration'), button('openEditorSettings')));
  for (const d of document.querySelectorAll('details')) d.open = wasOpen.includes(d.id);
  if (!id) return;
  const again = document.getElementById(id);
  again?.focus();
  if (place && again instanceof HTMLTextAreaElement) {
    again.setSelectionRange(place.start, place.end);
    again.scrollTop = place.top;
  }
}

window.addEventListener('message', ({ data }: MessageEvent<ToSettings>) => {
  if (data.type === 'written') {
    status.textContent = data.error ?? t('saved');
    status.classList.toggle('error', data.error !== undefined);
    if (data.shown && data.id === lastId) shown = data.shown;
    // What is being typed is not taken away; what was refused is shown as it is.
    if (data.id === lastId && timers.size === 0) draw();
    return;
  }
  strings = data.strings;
  document.title = t('title');
  if (data.type === 'unavailable') {
    root.replaceChildren(el('h1', {}, t('title')), el('p', { role: 'alert' }, data.message));
    shown = undefined;
    return;
  }
  const same = JSON.stringify(shown) === JSON.stringify(data.shown); // a field that says what is wrong with its value goes on saying so
  shown = data.shown;
  if (timers.size === 0 && !same) draw();
  if (data.at) document.getElementById(`h-${data.at}`)?.scrollIntoView({ block: 'start' });
});

leaveChordsToTheEditor();
editor.postMessage({ type: 'ready' });
