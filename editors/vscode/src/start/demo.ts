// The demonstration that the sidecar brings along: a whole session in a terminal, with a
// scripted model and no key. It runs in a small folder of its own, which goes when it ends.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { l10n, ProcessExecution, Task, TaskRevealKind, tasks, TaskScope } from 'vscode';
import type { SidecarProcess } from '../sidecar/sidecar';

const readme = `# Pancakes

A small folder for the demonstration of agent-sidecar. Nothing here matters.

- 200 g flour
- 2 eggs
- 400 ml milk
`;

export async function runDemo(sidecar: SidecarProcess): Promise<void> {
  const found = sidecar.find();
  if (found.path === undefined) {
    await sidecar.restart(); // which says what is missing, and how to mend it
    return;
  }
  const dir = await mkdtemp(join(tmpdir(), 'agent-sidecar-demo-'));
  await writeFile(join(dir, 'README.md'), readme);
  const task = new Task({ type: 'agent-sidecar', demo: true }, TaskScope.Global, l10n.t('Demo'), 'agent-sidecar', new ProcessExecution(found.path, ['demo', dir], { cwd: dir }));
  task.presentationOptions = { reveal: TaskRevealKind.Always, focus: true };
  const execution = await tasks.executeTask(task);
  const heard = tasks.onDidEndTask((e) => {
    if (e.execution !== execution) return;
    heard.dispose();
    void rm(dir, { recursive: true, force: true });
  });
}
