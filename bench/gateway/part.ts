import { deepStrictEqual } from 'node:assert/strict';
import { ApiKeyId, ProjectId, TeamId } from '@billing/contracts/ids';
import { planBillingPrograms } from '@billing/local-system/billing-programs';
import { IDENTITY_HEADER, identityTokenSigner } from '@billing/service/identity-token';
import { newApiKey } from '../load/api-key.ts';
import { startBenchSystem } from '../load/bench-system.ts';
import { measureReads, PER_SECOND, ROUND_MS, type Measured } from '../load/reads.ts';
import { fetchJson, getRequest, startRequestLoad } from '../load/request-load.ts';
import type { Part, Result } from '../part.ts';
import { compareRates, describeRates } from '../result.ts';
import { measureRounds } from '../rounds.ts';
import { median } from '../statistics.ts';
import { newTenant } from '../tenant.ts';

const MIN_RATIO = 0.6;
const MAX_ADDED_MS = 3;

/** One way to read the customer; the headers are made anew for each round, since identity tokens expire. */
interface Side {
  readonly url: string;
  readonly headers: () => Record<string, string>;
}

type Both = Record<'through' | 'direct', Measured>;

/** Gets one customer through the gateway with an API key, and from the customers service with an identity token. */
export const gateway: Part = {
  name: 'gateway',
  async measure({ rounds, scale }) {
    await using resources = new AsyncDisposableStack();
    let identityPrivateKey = '';
    const bench = resources.use(
      await startBenchSystem({
        planPrograms: inputs => {
          ({ identityPrivateKey } = inputs.secrets);
          return planBillingPrograms(inputs);
        },
      }),
    );
    const tenant = await newTenant(bench.system);
    const { id } = await tenant.billing.customers.create({ email: 'ada@example.com', name: 'Ada' });
    const apiKey = await newApiKey(bench.dataDir, tenant);
    const [teamId, projectId] = [TeamId.schema.parse(tenant.teamId), ProjectId.schema.parse(tenant.projectId)];
    const path = `/api/service/teams/${teamId}/projects/${projectId}/customers/${id}`;
    const sign = identityTokenSigner(Buffer.from(identityPrivateKey, 'base64').toString(), 'customers');
    const read = { method: 'GET', path };
    const principal = {
      kind: 'api-key',
      keyId: ApiKeyId.create(),
      teamId,
      projectId,
      scopes: ['customers:read'],
    } as const;
    const through: Side = {
      url: `${bench.gatewayUrl}${path}`,
      headers: () => ({ authorization: `Bearer ${apiKey}` }),
    };
    const direct: Side = {
      url: `${bench.system.services['customers']?.url}${path}`,
      headers: () => ({
        [IDENTITY_HEADER]: sign({ principal: { ...principal, scopes: [...principal.scopes] }, caller: null }, read),
      }),
    };
    const [customer, same] = await Promise.all([through, direct].map(it => fetchJson(it.url, it.headers())));
    deepStrictEqual(customer, same, 'Both sides must return the same customer.');

    const load = resources.use(startRequestLoad());
    const measureOne = ({ url, headers }: Side) =>
      measureReads(load, { url, requests: [getRequest(url, headers())] }, ROUND_MS / scale);
    const measured = await measureRounds(
      rounds,
      async () => ({ through: await measureOne(through), direct: await measureOne(direct) }),
      describeRound,
    );
    return resultsOf(measured);
  },
};

function describeRound({ through, direct }: Both): string {
  const rates = describeRates('requests/s', through.perSecond, direct.perSecond);
  return `${rates}, p99 ${through.p99.toFixed(1)} : ${direct.p99.toFixed(1)} ms`;
}

function resultsOf(measured: readonly Both[]): Result[] {
  const medianOf = (of: (it: (typeof measured)[number]) => number) => median(measured.map(of));
  const added = medianOf(it => it.through.p99 - it.direct.p99);
  return [
    compareRates({
      what: 'GET of one customer through the gateway, requests/s',
      ours: measured.map(it => it.through.perSecond),
      theirs: measured.map(it => it.direct.perSecond),
      other: 'the service directly',
      atLeast: MIN_RATIO,
    }),
    {
      what: `p99 of it at ${PER_SECOND} requests/s, ms`,
      billing: medianOf(it => it.through.p99).toFixed(1),
      against: `${medianOf(it => it.direct.p99).toFixed(1)} (the service directly; ${added.toFixed(1)} added)`,
      goal: `at most ${MAX_ADDED_MS} ms added`,
      isReached: added <= MAX_ADDED_MS,
    },
  ];
}
