import { CustomerCreated } from '@billing/contracts/events/customers';
import { ProjectCreated, type ProjectState } from '@billing/contracts/events/gateway';
import { SubscriptionCreated } from '@billing/contracts/events/subscriptions';
import type { ProjectScope } from '@billing/contracts/ids';
import { openRpcClient } from '@billing/messaging/rpc';
import { waitFor } from '@billing/testing/wait-for';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { takeTurns } from '#persistence/rebuild-lock.ts';
import { rebuildProject } from '../src/rebuild/rebuild-project.ts';
import { disordered, historyOf, lookback, movedTo } from './histories.ts';
import { ownersOf } from './owners.ts';
import { newScope, saidFact, startService, type SaidFact, type Service } from './service.ts';
import { slowAnalytics, slowHistory } from './slow-model.ts';
import { customer, subscription } from './states.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');

let service: Service;
beforeAll(async () => (service = await startService()));
afterAll(async () => service[Symbol.asyncDispose]());

const cases = lookback.chain(around =>
  historyOf(around).chain(({ facts, rows }) =>
    fc.record({ delivered: disordered(facts), heardBefore: fc.nat(facts.length) }).map(given => ({
      ...around,
      ...given,
      rows,
    })),
  ),
);

it('ends with what a recomputation gives, though facts keep coming in any order, and again with the very same', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ now, growthDays, rows, delivered, heardBefore }) => {
      const scope = newScope();
      const facts = [projectFact(scope), ...movedTo(scope, delivered)];
      await using resources = new AsyncDisposableStack();
      resources.use(ownersOf(service, facts, { partOf: 2 }));
      service.setClock(now);
      await service.hear(facts.slice(0, heardBefore + 1));
      await Promise.all([rebuild(scope), service.hear(facts.slice(heardBefore + 1))]);
      const { asOf, ...figures } = await service.analytics(scope, growthDays);
      expect(figures).toEqual(slowAnalytics(rows, 'usd', now, growthDays));
      const { history } = await service.history(scope, 365);
      expect(history).toEqual(slowHistory(rows, 'usd', now, 365));

      const before = await shownFigures(scope);
      await rebuild(scope);
      expect(await shownFigures(scope)).toEqual(before);
      expect((await service.analytics(scope, growthDays)).asOf).toEqual(asOf);
      expect(await rowsBesideShown(scope)).toBe(0);
    }),
    { numRuns: 15, endOnFailure: true },
  );
}, 400_000);

it('mends figures that were lost or spoiled, and what facts never told', async () => {
  service.setClock(NOW);
  const scope = newScope();
  const heard = someFacts(scope, 5);
  const unheard = saidFact(CustomerCreated, scope.teamId, customer(scope), new Date('2026-11-20T12:30:00.000Z'));
  await using resources = new AsyncDisposableStack();
  resources.use(ownersOf(service, [...heard, unheard], { partOf: 2 }));
  await service.hear(heard);
  const right = await service.analytics(scope);
  await spoil(scope);
  expect(await service.analytics(scope)).not.toEqual(right);
  await rebuild(scope);
  const mended = await service.analytics(scope);
  const last = { date: '2026-11-20', count: right.customerCount + 1 };
  expect(mended).toEqual({
    ...right,
    customerCount: last.count,
    customerGrowth: [...right.customerGrowth.slice(0, -1), last],
    asOf: new Date('2026-11-20T12:30:00.003Z'),
  });
});

it('shows the former figures until all is made, also when it dies halfway, and the next one begins afresh', async () => {
  service.setClock(NOW);
  const scope = newScope();
  const facts = someFacts(scope, 7);
  await service.hear(facts);
  const before = await service.analytics(scope);
  {
    const seen: unknown[] = [];
    let answers = 0;
    const beforeAnswer = async () => {
      answers += 1;
      seen.push(await service.analytics(scope));
      if (answers === 4) throw new Error('The owner is broken.');
    };
    await using resources = new AsyncDisposableStack();
    resources.use(ownersOf(service, facts, { partOf: 2, beforeAnswer }));
    const dying = rebuildProject({ ...dependencies(), rpc: impatient() })(stateOf(scope));
    await expect(dying).rejects.toThrow('could not be answered');
    expect(seen).toEqual([before, before, before, before]);
  }
  expect(await service.analytics(scope)).toEqual(before);
  expect(await rowsBesideShown(scope)).toBeGreaterThan(0);
  const later = someFacts(scope, 3);
  await using resources = new AsyncDisposableStack();
  resources.use(ownersOf(service, [...facts, ...later], { partOf: 2 }));
  await service.hear(later);
  await rebuild(scope);
  expect(await rowsBesideShown(scope)).toBe(0);
  expect(await service.analytics(scope)).toMatchObject({ customerCount: 10, mrr: 10 * 2_999 });
});

it('may run twice at once: one waits for the other, and the end is the same', async () => {
  service.setClock(NOW);
  const scope = newScope();
  const facts = someFacts(scope, 6);
  await service.hear(facts);
  const before = await service.analytics(scope);
  let waited = 0;
  // The first is not done before the second has met it.
  const beforeAnswer = async () =>
    void (await waitFor(() => waited === 1, { what: 'the second to wait', timeoutMs: 60_000 }));
  await using resources = new AsyncDisposableStack();
  resources.use(ownersOf(service, facts, { partOf: 1, beforeAnswer }));
  await Promise.all([rebuild(scope, () => (waited += 1)), rebuild(scope, () => (waited += 1))]);
  expect(waited).toBe(1);
  expect(await service.analytics(scope)).toEqual(before);
  expect(await rowsBesideShown(scope)).toBe(0);
});

it('gives way to a rebuild that begins later, should the two not know of each other', async () => {
  service.setClock(NOW);
  const scope = newScope();
  const facts = someFacts(scope, 6);
  await service.hear(facts);
  const before = await service.analytics(scope);
  const unlocked = {
    ...dependencies(),
    takeTurns: <Result>(_scope: ProjectScope, work: () => Promise<Result>) => work(),
  };
  let second: Promise<void> | undefined;
  let answers = 0;
  const beforeAnswer = async () => {
    answers += 1;
    second ??= rebuildProject(unlocked)(stateOf(scope));
    await waitFor(() => answers > 1, { what: 'the second to ask', timeoutMs: 60_000 });
  };
  await using resources = new AsyncDisposableStack();
  resources.use(ownersOf(service, facts, { partOf: 2, beforeAnswer }));
  await expect(rebuildProject(unlocked)(stateOf(scope))).rejects.toThrow('Another rebuild');
  await second;
  expect(await service.analytics(scope)).toEqual(before);
});

const dependencies = (onWait: () => void = () => undefined) => ({
  em: service.database.em,
  rpc: openRpcClient(service.bus),
  takeTurns: takeTurns(service.databaseUrl, onWait),
});

/** Asks once, where a rebuild would be patient. */
function impatient(): ReturnType<typeof openRpcClient> {
  const rpc = openRpcClient(service.bus);
  return {
    call: async (...asked) => {
      try {
        return await rpc.call(...asked);
      } catch (err) {
        throw new Error(String(err), { cause: err });
      }
    },
  };
}

const rebuild = (scope: ProjectScope, onWait?: () => void) => rebuildProject(dependencies(onWait))(stateOf(scope));

const stateOf = ({ teamId, projectId }: ProjectScope): ProjectState => ({
  id: projectId,
  teamId,
  name: 'Shop',
  baseCurrency: 'usd',
  createdAt: new Date('2025-01-01'),
  version: 1,
});

const projectFact = (scope: ProjectScope) =>
  saidFact(ProjectCreated, scope.teamId, stateOf(scope), new Date('2025-01-01'));

/** A project with so many customers and subscriptions. */
const someFacts = (scope: ProjectScope, count: number): SaidFact[] => [
  projectFact(scope),
  ...Array.from({ length: count }, () => [customer(scope), subscription(scope)] as const).flatMap(([one, other]) => [
    saidFact(CustomerCreated, scope.teamId, one, NOW),
    saidFact(SubscriptionCreated, scope.teamId, other, NOW),
  ]),
];

/** All figures that are shown, as rows. */
const shownFigures = ({ projectId }: ProjectScope) =>
  service.database.em.fork().execute<unknown[]>(
    `select figure, day, amount::text from figures join projects using (team_id, project_id, generation)
      where project_id = ? and amount <> 0 order by figure, day`,
    [projectId],
  );

/** How many rows of the project are not shown. */
async function rowsBesideShown({ projectId }: ProjectScope): Promise<number> {
  const [row] = await service.database.em.fork().execute<{ count: number }[]>(
    `select count(*)::int as count
       from (select project_id, generation from figures union all select project_id, generation from subjects) it
       join projects p using (project_id) where project_id = ? and it.generation <> p.generation`,
    [projectId],
  );
  return row?.count ?? 0;
}

async function spoil({ projectId }: ProjectScope): Promise<void> {
  const em = service.database.em.fork();
  await em.execute(`update figures set amount = amount + 3 where project_id = ?`, [projectId]);
  await em.execute(`update subjects set version = 99 where project_id = ? and kind = 'subscription'`, [projectId]);
  await em.execute(`delete from subjects where project_id = ? and kind = 'customer'`, [projectId]);
  await em.execute(`update projects set base_currency = 'eur' where project_id = ?`, [projectId]);
}
