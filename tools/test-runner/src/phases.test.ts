import { expect, it } from 'vitest';
import { planPhases } from './phases.ts';

it('runs the whole system last and alone', () => {
  expect(planPhases(['@billing/catalog', '@billing/e2e'], [])).toEqual([
    { turboArgs: ['--filter=!@billing/e2e'], concurrency: 2 },
    { turboArgs: ['--filter=@billing/e2e'], concurrency: 1 },
  ]);
});

it('runs only what was asked for', () => {
  expect(planPhases(['@billing/catalog'], ['--filter=@billing/catalog'])).toEqual([
    { turboArgs: ['--filter=@billing/catalog', '--filter=!@billing/e2e'], concurrency: 2 },
  ]);
  expect(planPhases(['@billing/e2e'], ['--filter=@billing/e2e'])).toEqual([
    { turboArgs: ['--filter=@billing/e2e'], concurrency: 1 },
  ]);
});
