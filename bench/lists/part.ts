import { deepStrictEqual } from 'node:assert/strict';
import { join } from 'node:path';
import { findServers } from '@billing/local-system/running-system';
import { newApiKey } from '../load/api-key.ts';
import { startOtherSide } from '../load/other-side.ts';
import { startBenchSystem } from '../load/bench-system.ts';
import { newEventReceiver } from '../load/event-receiver.ts';
import { measureRate, ROUND_MS } from '../load/reads.ts';
import { fetchJson, getRequest, startRequestLoad } from '../load/request-load.ts';
import type { Part } from '../part.ts';
import { compareRates, describeRates } from '../result.ts';
import { measureRounds } from '../rounds.ts';

const SUBSCRIPTIONS = 1_000;

/** Lists 50 subscriptions through the gateway with an API key, and with plain SQL behind a bare Fastify route. */
export const lists: Part = {
  name: 'lists',
  async measure({ rounds, scale }) {
    await using resources = new AsyncDisposableStack();
    const bench = resources.use(await startBenchSystem());
    const receiver = resources.use(await newEventReceiver(bench, SUBSCRIPTIONS));
    const { teamId, projectId } = receiver.tenant;
    const { databaseUrl } = findServers(bench.dataDir, 'subscriptions');
    const bare = resources.use(
      await startOtherSide(join(import.meta.dirname, 'bare-server.ts'), [databaseUrl, teamId, projectId]),
    );
    const apiKey = await newApiKey(bench.dataDir, receiver.tenant);
    const path = `/api/service/teams/${teamId}/projects/${projectId}/subscriptions?limit=50`;
    const billing = { url: `${bench.gatewayUrl}${path}`, headers: { authorization: `Bearer ${apiKey}` } };
    const against = { url: `${bare.url}/subscriptions?limit=50`, headers: {} };
    const documents = [await fetchJson(billing.url, billing.headers), await fetchJson(against.url)] as const;
    const [shown, same] = documents.map(withoutCursor);
    deepStrictEqual(shown, same, 'Both sides must return the same document.');

    const load = resources.use(startRequestLoad());
    const measureOne = ({ url, headers }: typeof billing | typeof against) =>
      measureRate(load, { url, requests: [getRequest(url, headers)] }, ROUND_MS / scale);
    const measured = await measureRounds(
      rounds,
      async () => ({ our: await measureOne(billing), their: await measureOne(against) }),
      ({ our, their }) => describeRates('requests/s', our, their),
    );
    const rates = { ours: measured.map(it => it.our), theirs: measured.map(it => it.their) };
    const other = 'bare Fastify and pg, no authentication';
    return [compareRates({ what: 'GET P/subscriptions?limit=50, requests/s', ...rates, other, atLeast: 0.4 })];
  },
};

/** Returns a document as the bare side has it: its list has no cursor, and always counts all rows. */
function withoutCursor(document: unknown): object {
  const { pagination, ...list } = document as { pagination: Record<string, unknown> }; // both sides return it
  const { limit, offset, total, hasMore } = pagination;
  return { ...list, pagination: { limit, offset, total, hasMore } };
}
