import { findAdminUrl } from '@billing/local-system/running-system';
import type { Part } from '../part.ts';
import { startBilling } from './billing.ts';
import { measureBacklog } from './backlog.ts';
import { measureLatencies } from './latencies.ts';
import { measureRates } from './rates.ts';
import { startReceiver } from './receiver.ts';
import { startTeamBuilt } from './team-built.ts';

/** Events that are delivered to tenants' endpoints, by us and by what a team builds itself with pg-boss. */
export const outgoing: Part = {
  name: 'outgoing',
  async measure(options) {
    await using resources = new AsyncDisposableStack();
    const ours = resources.use(await startBilling());
    const theirs = resources.use(await startTeamBuilt(findAdminUrl(ours.bench.dataDir)));
    const receiver = resources.use(await startReceiver());
    const sides = { ours, theirs, receiver };
    return [
      ...(await measureRates(sides, options)),
      ...(await measureLatencies(sides, options)),
      ...(await measureBacklog(sides, options)),
    ];
  },
};
