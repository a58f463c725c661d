// One line a check: `ok   what` or `FAIL what -- why`, as everywhere in editors/test.
let failures = 0;
export const failed = () => failures > 0;
const line = (value) => String(value?.message ?? value).replace(/\x1b\[[0-9;]*m/g, '').replace(/\s+/g, ' ').slice(0, 500);

export function is(what, ok, extra = 'it is not so') {
  if (ok) console.log(`ok   ${what}`);
  else {
    failures++;
    console.log(`FAIL ${what} -- ${line(extra)}`);
  }
  return !!ok;
}

/** Something to be done or waited for; what it throws is the reason. The rest goes on. */
export async function check(what, act) {
  try {
    await act();
    return is(what, true);
  } catch (e) {
    return is(what, false, e);
  }
}
