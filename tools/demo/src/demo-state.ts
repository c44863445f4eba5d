import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ApiKeyId, CustomerId, PriceId, ProjectId, SubscriptionId, TeamId } from '@billing/contracts/ids';
import { z } from 'zod';

/** What a later start needs to find the demo's data again; only a demo that came to its end is kept. */
export const demoState = z.object({
  user: z.object({ email: z.string(), password: z.string() }),
  teamId: TeamId.schema,
  projectId: ProjectId.schema,
  apiKeyId: ApiKeyId.schema,
  apiKey: z.string(),
  /** Opens the demo's account at the processor. */
  processorKey: z.string(),
  /** Where the processor sends the account's events. */
  webhookEndpointId: z.string(),
  priceId: PriceId.schema,
  referrerId: CustomerId.schema,
  refereeId: CustomerId.schema,
  subscriptionId: SubscriptionId.schema,
});
export type DemoState = z.output<typeof demoState>;

/** The state of an earlier start; undefined when there is none, or it can't be read any more. */
export async function loadState(file: string): Promise<DemoState | undefined> {
  try {
    return demoState.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined; // a demo that can't be found again is simply made anew
  }
}

/** Keeps the state, readable by its owner only. A crash leaves either the old file or the new one, both whole. */
export async function saveState(file: string, state: DemoState): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
