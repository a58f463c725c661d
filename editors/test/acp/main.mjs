// acpx: one prompt with each policy, a session that goes on, a mode, a cancel, and a sidecar that dies in the middle.
import { readFileSync } from 'node:fs';
import { acpx, check, holds, until } from './person.mjs';

const denied = await acpx(['--deny-all', 'exec', 'Change the note.']);
check('a client that denies all comes to the end', denied.text.replace(/\s+/g, ' ').includes('Well, no.') && denied.text.includes('end_turn')); // its exit code tells of the refusal
check('and nothing is changed', holds('note.txt', 'as it was\n'));

const allowed = await acpx(['--approve-all', 'exec', 'Change the note, please.']);
check('a client that allows all comes to the end', allowed.code === 0 && allowed.text.includes('Changed.'));
check('the diff is shown', allowed.text.includes('diff ') && allowed.text.includes('+as it is'));
check('the file is changed', holds('note.txt', 'as it is\n'));

const made = await acpx(['sessions', 'new']);
check('a session is made', made.code === 0);
const first = await acpx(['--approve-all', 'prompt', 'Say something.']);
check('it answers', first.code === 0 && first.text.includes('Something.'));
check('a mode is set', (await acpx(['set-mode', 'plan'])).code === 0);
check('and back', (await acpx(['set-mode', 'edit'])).code === 0);

let waits;
const slow = acpx(['--approve-all', 'prompt', 'Wait.'], (_, said) => { waits = until(() => said().includes('sleep 60')); });
await waits;
check('a cancel is taken', (await acpx(['cancel'])).code === 0);
check('the prompt ends as cancelled', (await slow).text.includes('cancelled'));

const dies = acpx(['--approve-all', 'prompt', 'Wait again.'], (_, said) => { waits = until(() => said().includes('sleep 60')); });
await waits;
process.kill(Number(readFileSync(`${process.env.LOGS}/sidecar.pid`, 'utf8')), 'SIGKILL');
check('a sidecar that is killed ends the prompt with an error', (await dies).code !== 0);
const again = await acpx(['--approve-all', 'prompt', 'Still there?']);
check('the session goes on with another one', again.code === 0 && again.text.includes('Still here.'));
check('it is closed', (await acpx(['sessions', 'close'])).code === 0);
