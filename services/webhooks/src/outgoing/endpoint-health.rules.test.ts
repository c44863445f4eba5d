import { describe, expect, it } from 'vitest';
import { afterAttempt, NEW_ENDPOINT, switched, type EndpointHealth } from './endpoint-health.rules.ts';

const START = Date.parse('2026-03-02T00:00:00.000Z');
const attempt = (hours: number, responseStatus: number | null = 500, objectKey = `customer pc_${hours}`) => ({
  at: new Date(START + hours * 3_600_000),
  objectKey,
  responseStatus,
});
const after = (...attempts: readonly ReturnType<typeof attempt>[]): EndpointHealth =>
  attempts.reduce(afterAttempt, NEW_ENDPOINT);
const hourly = (count: number) => Array.from({ length: count }, (_, index) => attempt(index));

describe('a failing endpoint', () => {
  it('counts as failing after five failures in a row of two objects', () => {
    expect(after(...hourly(4)).status).toBe('enabled');
    expect(after(...hourly(5))).toMatchObject({ status: 'failing', failingSince: new Date(START), failures: 5 });
  });

  it('is not to blame for one object that it cannot take', () => {
    const ofOne = Array.from({ length: 20 }, (_, index) => attempt(index, 500, 'customer pc_1'));
    expect(after(...ofOne).status).toBe('enabled');
    expect(after(...ofOne, attempt(21)).status).toBe('failing');
  });

  it('is as new after a success', () => {
    const lastSuccessAt = attempt(6).at;
    expect(after(...hourly(6), attempt(6, 204))).toEqual({ ...NEW_ENDPOINT, lastSuccessAt });
    expect(after(...hourly(4), attempt(4, 200), ...hourly(4)).status).toBe('enabled');
  });

  it('warns its owners once it has failed for a day, until it succeeds', () => {
    expect(after(...hourly(24)).isWarned).toBe(false);
    expect(after(...hourly(25)).isWarned).toBe(true);
    expect(after(...hourly(25), attempt(25, 200)).isWarned).toBe(false);
    expect(after(attempt(0, 410), attempt(30)).isWarned).toBe(false);
  });

  it('is disabled 120 hours after its first failure', () => {
    expect(after(...hourly(120)).status).toBe('failing');
    expect(after(...hourly(121))).toMatchObject({ status: 'disabled', disabledReason: 'failing' });
    expect(after(attempt(0), attempt(130)).status).toBe('enabled');
  });
});

it('is disabled at once by 410', () => {
  expect(after(attempt(0, 410))).toMatchObject({ status: 'disabled', disabledReason: 'gone' });
});

it('takes every 2xx for a success, and no redirect', () => {
  const isSuccess = (status: number | null) => after(attempt(0, status)).lastSuccessAt !== null;
  expect([200, 201, 204, 299].map(isSuccess)).toEqual([true, true, true, true]);
  expect([null, 101, 199, 300, 302, 307, 404, 500].some(isSuccess)).toBe(false);
});

describe('what its owner switches', () => {
  it('stays disabled, whatever ends afterwards', () => {
    const disabled = switched(NEW_ENDPOINT, false);
    expect(disabled).toMatchObject({ status: 'disabled', disabledReason: 'manual' });
    for (const status of [200, 500, 410])
      expect(afterAttempt(disabled, attempt(1, status))).toMatchObject({
        status: 'disabled',
        disabledReason: 'manual',
      });
  });

  it('starts anew when it is enabled, and keeps when it last succeeded', () => {
    const failed = after(attempt(0, 200), attempt(1, 410));
    expect(switched(failed, true)).toEqual({ ...NEW_ENDPOINT, lastSuccessAt: attempt(0).at });
    const failing = after(...hourly(6));
    expect(switched(failing, true)).toBe(failing);
  });
});
