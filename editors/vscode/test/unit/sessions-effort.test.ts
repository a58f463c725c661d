// Which levels of effort are offered for which model.
import { strict as assert } from 'node:assert';
import { effortItems, takesNone } from '../../src/sessions/effort';

const words = { byDefault: 'Default', defaultDetail: 'As it is.', now: 'now', none: 'no thinking' };
const said = { models: ['a/thinker', 'a/plain'], efforts: { 'a/thinker': ['none', 'low', 'high'] } };
const levels = (model: string, now = '') => effortItems(said, model, now, words).map((i) => i.level);

suite('the levels of effort', () => {
  test('are those of the model, behind the way to have none set', () => assert.deepEqual(levels('a/thinker'), ['', 'none', 'low', 'high']));

  test('are all of them for a model that is not known', () => {
    for (const model of ['b/other', '', 'a/plain']) assert.deepEqual(levels(model), ['', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh'], model);
  });

  test('show which one is set, also one that the model does not have', () => {
    assert.deepEqual(effortItems(said, 'a/thinker', '', words)[0], { label: 'Default', description: 'now', detail: 'As it is.', level: '' });
    const items = effortItems(said, 'a/thinker', 'xhigh', words);
    assert.deepEqual(items.map((i) => i.description), ['', 'no thinking', '', '', 'now']);
    assert.equal(items.at(-1)!.level, 'xhigh');
    assert.equal(effortItems(said, 'a/thinker', 'none', words)[1]!.description, 'now · no thinking');
  });

  test('that nobody is told are those of a configured model without any', () => {
    assert.deepEqual(['a/thinker', 'a/plain', 'b/other', ''].map((m) => takesNone(said, m)), [false, true, false, false]);
  });
});
