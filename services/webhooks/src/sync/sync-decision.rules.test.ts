import { ProjectId, TeamId } from '@billing/contracts/ids';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseCustomer, decide, type SyncedObject, type SyncFilter } from './sync-decision.rules.ts';

const scope = { teamId: TeamId.create(), projectId: ProjectId.create() };
const now = new Date('2026-06-01T00:00:00Z');
const everything: SyncFilter = { metadata: {}, includeUnmarked: true };
const object = (changes: Partial<SyncedObject> = {}): SyncedObject => ({
  type: 'customer',
  metadata: {},
  parents: [],
  endedAt: null,
  isUnfinished: false,
  ...changes,
});
const missing = { outcome: 'missing', hasParent: true, isHeldElsewhere: false } as const;
const decideOn = (changes: Partial<SyncedObject>, filter = everything, comparison: typeof missing = missing) =>
  decide(object(changes), comparison, { scope, filter, now });

describe('an object without a record', () => {
  it('is missing unless something keeps it out', () => {
    expect(decideOn({})).toEqual({ outcome: 'missing', reason: null });
  });

  it('is missing where its metadata have ids of the tenant’s own under our keys', () => {
    const metadata = { teamId: '7', projectId: 'proj_acme', customerId: '42' };
    expect(decideOn({ metadata })).toEqual({ outcome: 'missing', reason: null });
    const filter = { metadata: { app: 'shop' }, includeUnmarked: false };
    expect(decideOn({ metadata }, filter).reason).toBe('foreign');
  });

  it.each<[string, Partial<SyncedObject>]>([
    ['other_project', { metadata: { projectId: ProjectId.create() } }],
    ['other_team', { metadata: { teamId: TeamId.create(), projectId: scope.projectId } }],
    ['customer_skipped', { type: 'subscription', parents: [{ outcome: 'conflict', reason: null }] }],
    ['product_skipped', { type: 'price', parents: [{ outcome: 'skipped', reason: 'foreign' }] }],
    ['ended_long_ago', { type: 'subscription', endedAt: new Date('2025-04-01T00:00:00Z') }],
    ['draft', { type: 'invoice', isUnfinished: true }],
    ['pending', { type: 'payment', isUnfinished: true }],
  ])('is skipped as %s', (reason, changes) => {
    expect(decideOn(changes)).toEqual({ outcome: 'skipped', reason });
  });

  it('S79: is skipped where another project holds it, though nothing marks it', () => {
    const held = { outcome: 'missing', hasParent: true, isHeldElsewhere: true } as const;
    expect(decide(object(), held, { scope, filter: everything, now }).reason).toBe('other_project');
  });

  it('is skipped where what it belongs to is in neither the sync nor the project', () => {
    const decided = decide(
      object({ type: 'subscription' }),
      { outcome: 'missing', hasParent: false, isHeldElsewhere: false },
      { scope, filter: everything, now },
    );
    expect(decided.reason).toBe('customer_unknown');
  });

  it('is a conflict where another record has its e-mail', () => {
    const decided = decide(
      object(),
      { outcome: 'taken', hasParent: true, isHeldElsewhere: false },
      { scope, filter: everything, now },
    );
    expect(decided.outcome).toBe('conflict');
  });
});

describe('the filter', () => {
  const shop: SyncFilter = { metadata: { app: 'shop' }, includeUnmarked: false };

  it('takes marked objects, and those that follow what they belong to', () => {
    expect(decideOn({ metadata: { app: 'shop' } }, shop).outcome).toBe('missing');
    expect(decideOn({ metadata: { app: 'forum' } }, shop).reason).toBe('foreign');
    expect(decideOn({}, shop).reason).toBe('foreign');
    const child = { type: 'subscription', parents: [{ outcome: 'missing', reason: null }] } as const;
    expect(decideOn(child, shop).outcome).toBe('missing');
    expect(decideOn({ ...child, metadata: { app: 'forum' } }, shop).reason).toBe('foreign');
  });

  it('never lets two projects with disjoint filters take the same object', () => {
    const mark = fc.constantFrom('shop', 'forum', 'other', undefined);
    fc.assert(
      fc.property(mark, app => {
        const metadata: Record<string, string> = app === undefined ? {} : { app };
        const takes = (value: string) =>
          decideOn({ metadata }, { metadata: { app: value }, includeUnmarked: false }).outcome === 'missing';
        expect(takes('shop') && takes('forum')).toBe(false);
      }),
    );
  });

  it('counts for nothing where the project has a record, or is named', () => {
    for (const outcome of ['same', 'different'] as const)
      expect(
        decide(
          object({ metadata: { app: 'forum' } }),
          { outcome, hasParent: true, isHeldElsewhere: false },
          { scope, filter: shop, now },
        ),
      ).toEqual({ outcome, reason: null });
    expect(decideOn({ metadata: { ...scope } }, shop).outcome).toBe('missing');
  });
});

it('never revives what was deleted here', () => {
  const decided = decide(
    object(),
    { outcome: 'deleted', hasParent: true, isHeldElsewhere: false },
    { scope, filter: everything, now },
  );
  expect(decided).toEqual({ outcome: 'skipped', reason: 'deleted_here' });
});

it('takes of several customers the one with a live subscription, then the newest', () => {
  const customer = (processorId: string, day: number, hasLiveSubscription = false) => ({
    processorId,
    createdSeconds: day,
    hasLiveSubscription,
  });
  expect(chooseCustomer([customer('a', 1), customer('b', 3), customer('c', 2)])?.processorId).toBe('b');
  expect(chooseCustomer([customer('a', 1, true), customer('b', 3)])?.processorId).toBe('a');
});
