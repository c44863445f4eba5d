import { describe, expect, it } from 'vitest';
import { afterFirstReading, afterRecheck } from './sync-finding.rules.ts';

const idle = { isBusy: false };
const name = [{ field: 'name', ours: 'Ada', theirs: 'Grace' }];
const suspect = { outcome: 'different', fields: name, checks: 0 } as const;

describe('the first reading', () => {
  it('leaves an e-mail that another customer has to a second one, for a creation may be under way', () => {
    expect(afterFirstReading({ outcome: 'conflict' }, { isRecent: false })).toBe('suspect');
  });

  it('confirms what is missing unless its webhook may be on its way', () => {
    expect(afterFirstReading({ outcome: 'missing' }, { isRecent: false })).toBe('confirmed');
    expect(afterFirstReading({ outcome: 'missing' }, { isRecent: true })).toBe('suspect');
  });

  it.each(['same', 'skipped'] as const)('is done with what is %s', outcome => {
    expect(afterFirstReading({ outcome }, { isRecent: true })).toBe('done');
  });
});

describe('another reading', () => {
  it('confirms what differs in the same way twice', () => {
    expect(afterRecheck(suspect, suspect, idle)).toBe('confirmed');
  });

  it('ends a conflict that stays one, which is not to be applied', () => {
    const conflict = { outcome: 'conflict', fields: [], checks: 0 } as const;
    expect(afterRecheck(conflict, conflict, idle)).toBe('done');
  });

  it('drops what is equal meanwhile', () => {
    expect(afterRecheck(suspect, { outcome: 'same', fields: [] }, idle)).toBe('done');
  });

  it('waits while the difference changes or an event waits to be handled', () => {
    expect(afterRecheck(suspect, { outcome: 'conflict', fields: [] }, idle)).toBe('suspect');
    expect(afterRecheck(suspect, { outcome: 'different', fields: [] }, idle)).toBe('suspect');
    expect(afterRecheck(suspect, suspect, { isBusy: true })).toBe('suspect');
  });

  it('confirms after six readings whatever happens', () => {
    expect(afterRecheck({ ...suspect, checks: 5 }, suspect, { isBusy: true })).toBe('confirmed');
  });
});
