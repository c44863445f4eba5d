import { deepStrictEqual } from 'node:assert/strict';
import { join } from 'node:path';
import { findServers } from '@billing/local-system/running-system';
import { newApiKey } from '../load/api-key.ts';
import { startBareServer } from '../load/bare-server.ts';
import { startBenchSystem } from '../load/bench-system.ts';
import { newEventReceiver } from '../load/event-receiver.ts';
import { fetchJson, getRequest, rateOf, requireOk, startRequestLoad } from '../load/request-load.ts';
import type { Part } from '../part.ts';
import { compareRates, describeRates } from '../result.ts';

const SUBSCRIPTIONS = 1_000;
const CONNECTIONS = 32;
const ROUND_MS = 5_000;

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
      await startBareServer(join(import.meta.dirname, 'bare-server.ts'), [databaseUrl, teamId, projectId]),
    );
    const apiKey = await newApiKey(bench.dataDir, receiver.tenant);
    const path = `/api/service/teams/${teamId}/projects/${projectId}/subscriptions?limit=50`;
    const billing = { url: `${bench.gatewayUrl}${path}`, headers: { authorization: `Bearer ${apiKey}` } };
    const against = { url: `${bare.url}/subscriptions?limit=50`, headers: {} };
    const documents = [await fetchJson(billing.url, billing.headers), await fetchJson(against.url)] as const;
    const [shown, same] = documents.map(withoutCursor);
    deepStrictEqual(shown, same, 'Both sides must return the same document.');

    const load = resources.use(startRequestLoad());
    const measureOne = async ({ url, headers }: typeof billing | typeof against) => {
      const requests = [getRequest(url, headers)];
      const pace = { connections: CONNECTIONS };
      const job = { origin: new URL(url).origin, requests, pace, durationMs: ROUND_MS / scale };
      return rateOf(requireOk(await load.send(job)));
    };
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round <= rounds; round += 1) {
      const [our, their] = [await measureOne(billing), await measureOne(against)];
      console.log(`${round === 0 ? 'warm-up' : `round ${round}`}: ${describeRates('requests/s', our, their)}`);
      if (round === 0) continue;
      ours.push(our);
      theirs.push(their);
    }
    const other = 'bare Fastify and pg, no authentication';
    return [compareRates({ what: 'GET P/subscriptions?limit=50, requests/s', ours, theirs, other, atLeast: 0.4 })];
  },
};

/** Returns a document as the bare side has it: its list has no cursor, and always counts all rows. */
function withoutCursor(document: unknown): object {
  const { pagination, ...list } = document as { pagination: Record<string, unknown> }; // both sides return it
  const { limit, offset, total, hasMore } = pagination;
  return { ...list, pagination: { limit, offset, total, hasMore } };
}
