import { expect, it } from 'vitest';
import { checkServices } from './reachability.ts';

const at = (service: string, failed: readonly string[] | null) => ({ service, url: 'http://127.0.0.1:1', failed });

it('names a service that is down once, although the gateway names it too', () => {
  const findings = checkServices([at('gateway', ['catalog', 'database']), at('catalog', null), at('portal', [])]);
  expect(findings.map(({ check, subject, problem }) => [check, subject, problem])).toEqual([
    ['service-not-ready', 'gateway', 'gateway runs, but does not reach: database.'],
    ['service-unreachable', 'catalog', expect.stringContaining('does not respond')],
  ]);
  expect(checkServices([at('gateway', ['catalog']), at('catalog', null)])).toHaveLength(1);
});
