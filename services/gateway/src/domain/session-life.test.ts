import fc from 'fast-check';
import { expect, it } from 'vitest';
import { expiryAfterUse, firstExpiry } from './session-life.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms);

it('begins with seven days, or with the day that a session without rememberMe gets', () => {
  expect(firstExpiry({ createdAt: at(0), expiresAt: at(30 * DAY) })).toEqual(at(7 * DAY));
  expect(firstExpiry({ createdAt: at(0), expiresAt: at(DAY) })).toEqual(at(DAY));
});

it('extends a session that is used, for seven days each time and thirty in all', () => {
  const session = { createdAt: at(0), updatedAt: at(0), expiresAt: at(7 * DAY) };
  expect(expiryAfterUse(session, at(HOUR - 1))).toBeUndefined();
  expect(expiryAfterUse(session, at(2 * DAY))).toEqual(at(9 * DAY));
  expect(expiryAfterUse({ ...session, expiresAt: at(28 * DAY) }, at(27 * DAY))).toEqual(at(30 * DAY));
});

it('never extends a session without rememberMe', () => {
  const session = { createdAt: at(0), updatedAt: at(0), expiresAt: at(DAY + 5) };
  expect(expiryAfterUse(session, at(DAY))).toBeUndefined();
});

it('ends every session after seven days without use and after thirty days', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 8 * DAY }), { maxLength: 60 }), pauses => {
      let session = { createdAt: at(0), updatedAt: at(0), expiresAt: at(7 * DAY) };
      let now = 0;
      for (const pause of pauses) {
        now += pause;
        if (session.expiresAt <= at(now)) return true;
        const expiresAt = expiryAfterUse(session, at(now));
        if (expiresAt) session = { ...session, updatedAt: at(now), expiresAt };
        if (session.expiresAt > at(30 * DAY) || session.expiresAt > at(now + 7 * DAY)) return false;
        if (session.expiresAt < at(Math.min(now + 7 * DAY - HOUR, 30 * DAY))) return false;
      }
      return true;
    }),
  );
});
