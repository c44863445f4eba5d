import { BillingClient, type BillingEvent } from '@billing/client';
import { parseArguments, type Arguments } from './arguments.ts';
import { openForward, secretOf } from './forward.ts';

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** Forwards events one after another, in their order, until Ctrl-C. */
async function listen(args: Arguments): Promise<void> {
  const secret = secretOf(args.apiKey);
  if (args['print-secret']) process.stdout.write(`${secret}\n`);
  if (!('forward' in args)) return;
  const { apiKey, url, team, project, types, since = new Date(), forward: to } = args;
  const billing = new BillingClient({
    baseUrl: url,
    apiKey,
    teamId: team,
    projectId: project,
    maxRetries: Infinity,
    onRetry: ({ message }, pauseMs) => say(`${message} Trying again in ${Math.ceil(pauseMs / 1_000)} s.`),
  });
  const forward = openForward(to, secret);
  const post = async (event: BillingEvent) => {
    const { type, id } = event;
    process.stdout.write(`${type} ${id}: ${await forward(event)}\n`);
  };

  let cursor: string | undefined;
  for await (const page of billing.events.list({ since, types, limit: 100 }).pages()) {
    for (const event of page.items) await post(event);
    cursor = page.nextCursor ?? undefined;
  }
  say(`Events are posted to ${to}, signed with the secret that --print-secret prints. Ctrl-C ends it.`);
  // What happened before is behind the cursor; what is recorded late is not left out.
  for await (const event of billing.events.follow({ types, cursor })) await post(event);
}

try {
  await listen(parseArguments(process.argv.slice(2), process.env));
} catch (err) {
  say(`webhooks:listen: ${err instanceof Error ? err.message : String(err)}`);
  process.exitCode = 1;
}
