import { expect, it } from 'vitest';
import { openAttempts } from './attempts.ts';
import { isSuspect } from './consumer/delivery.ts';

const first = { deliveryCount: 1 };

it('suspects as many first deliveries of nats-server 2.9 as it had redelivered', () => {
  const attemptOf = openAttempts({ serverVersion: '2.9.10', redelivered: 2 });
  expect(attemptOf({ deliveryCount: 3 })).toBe(3);
  expect([first, first, first].map(attemptOf).map(attempt => isSuspect({ attempt }))).toEqual([true, true, false]);
  expect(attemptOf(first)).toBe(1);
});

it('believes later servers', () => {
  const attemptOf = openAttempts({ serverVersion: '2.10.0', redelivered: 2 });
  expect([first, { deliveryCount: 5 }].map(attemptOf)).toEqual([1, 5]);
});
