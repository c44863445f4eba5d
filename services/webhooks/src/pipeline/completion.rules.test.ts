import { expect, it } from 'vitest';
import { sumUp, type Completion } from './completion.rules.ts';

const report = (eventId: string, changes: Partial<Completion> = {}): Completion => ({
  teamId: 'team_1',
  eventId,
  projectId: 'proj_1',
  routedBy: 'known-id',
  outcome: 'processed',
  error: null,
  attempts: 1,
  ...changes,
});

it('adds up what several projects report on one event: where it failed, the most attempts, the first error', () => {
  const sums = sumUp([
    report('evt_2'),
    report('evt_1'),
    report('evt_1', { projectId: 'proj_2', outcome: 'failed', error: 'no', attempts: 8 }),
    report('evt_1', { projectId: 'proj_3', outcome: 'processed' }),
  ]);
  expect(sums).toMatchObject([
    {
      id: 'evt_1',
      projects: ['proj_1', 'proj_2', 'proj_3'],
      failed_in: ['proj_2'],
      attempts: 8,
      error: 'no',
    },
    { id: 'evt_2', projects: ['proj_1'], failed_in: [], error: null },
  ]);
});
