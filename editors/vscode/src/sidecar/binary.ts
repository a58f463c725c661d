// Where the sidecar's binary is: the setting, else the one in this extension, else the
// PATH. A setting that names nothing is an error, never a reason to run something else;
// and nothing relative is taken, so a folder that was opened can never bring the binary.
import { posix, win32 } from 'node:path';

export interface Search {
  /** `agentSidecar.path`; empty: not set. */
  setting: string;
  extensionPath: string;
  home: string;
  pathVariable: string;
  platform: NodeJS.Platform;
  isExecutable(file: string): boolean;
}

export type Found =
  | { path: string; from: 'setting' | 'bundled' | 'path' }
  | { path: undefined; why: 'setting_relative' | 'setting_missing' | 'nowhere'; tried: string[] };

/** The name of the program's file. */
export function binaryName(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'agent-sidecar.exe' : 'agent-sidecar';
}

export function findBinary(s: Search): Found {
  const path = s.platform === 'win32' ? win32 : posix;
  const setting = s.setting.trim();
  if (setting !== '') {
    const file = setting === '~' || setting.startsWith('~/') || setting.startsWith('~\\') ? path.join(s.home, setting.slice(1)) : setting;
    if (!path.isAbsolute(file)) return { path: undefined, why: 'setting_relative', tried: [setting] };
    return s.isExecutable(file) ? { path: file, from: 'setting' } : { path: undefined, why: 'setting_missing', tried: [file] };
  }
  const name = binaryName(s.platform);
  const bundled = path.join(s.extensionPath, 'bin', name);
  if (s.isExecutable(bundled)) return { path: bundled, from: 'bundled' };
  const tried = [bundled];
  for (const dir of s.pathVariable.split(path.delimiter)) {
    if (!path.isAbsolute(dir)) continue;
    const file = path.join(dir, name);
    if (s.isExecutable(file)) return { path: file, from: 'path' };
    tried.push(file);
  }
  return { path: undefined, why: 'nowhere', tried };
}
