import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ApiKeyId, CustomerId, PriceId, ProjectId, SubscriptionId, TeamId } from '@billing/contracts/ids';
import { z } from 'zod';

/** The data of a completed demo, which a later start reuses. */
export const demoState = z.object({
  user: z.object({ email: z.string(), password: z.string() }),
  teamId: TeamId.schema,
  projectId: ProjectId.schema,
  apiKeyId: ApiKeyId.schema,
  apiKey: z.string(),
  /** The secret key of the demo's account at the processor. */
  processorKey: z.string(),
  /** The webhook endpoint of the demo's account. */
  webhookEndpointId: z.string(),
  priceId: PriceId.schema,
  /** The price that the subscription could change to. */
  upgradePriceId: PriceId.schema,
  referrerId: CustomerId.schema,
  refereeId: CustomerId.schema,
  subscriptionId: SubscriptionId.schema,
});
export type DemoState = z.output<typeof demoState>;

/** Returns the state of a previous start; undefined when there is none or it is not readable. */
export async function loadState(file: string): Promise<DemoState | undefined> {
  try {
    return demoState.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined; // the demo then creates new data
  }
}

/** Writes the state to a file that only its owner can read. A crash leaves the old or the new file, never a partial one. */
export async function saveState(file: string, state: DemoState): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
