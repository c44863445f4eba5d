import { expect, it } from 'vitest';
import { editedTime, localText } from './local-text.ts';

it('keeps a time to the millisecond unless its field was changed', () => {
  const before = '2099-01-31T10:00:42.123Z';
  const shown = localText(new Date(before));
  expect(shown).toMatch(/^2099-\d\d-\d\dT\d\d:00$/);
  expect(editedTime(shown, before)).toBe(before);
  expect(editedTime('', before)).toBeNull();
  expect(editedTime('', null)).toBeNull();
  expect(editedTime('2099-02-01T08:30', before)).toBe(new Date('2099-02-01T08:30').toISOString());
  expect(editedTime(shown, null)).toBe(new Date(shown).toISOString());
});
