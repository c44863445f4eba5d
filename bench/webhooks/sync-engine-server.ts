import { createRequire } from 'node:module';
import { join } from 'node:path';
import Fastify from 'fastify';

/** What of the package is used here; it is installed for the benchmark only, so its own types are not there. */
interface SyncEngine {
  runMigrations(options: { schema: string; databaseUrl: string }): Promise<void>;
  readonly StripeSync: new (options: {
    poolConfig: { connectionString: string };
    stripeSecretKey: string;
    stripeWebhookSecret: string;
  }) => { processWebhook(payload: Buffer, signature: string | undefined): Promise<void> };
}

const [folder = '', databaseUrl = '', secret = ''] = process.argv.slice(2);

/**
 * `processWebhook` behind a bare route, with the package's own defaults: ten connections, and what the event says is
 * kept without a question to Stripe.
 */
async function serve(): Promise<void> {
  // Only the CommonJS build finds its own migrations.
  const engine = createRequire(join(folder, 'package.json'))('@supabase/stripe-sync-engine') as SyncEngine;
  await engine.runMigrations({ schema: 'stripe', databaseUrl });
  const sync = new engine.StripeSync({
    poolConfig: { connectionString: databaseUrl },
    stripeSecretKey: 'sk_test_never_used',
    stripeWebhookSecret: secret,
  });
  const app = Fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body);
  app.post<{ Body: Buffer }>('/webhooks', async request => {
    const signature = request.headers['stripe-signature'];
    await sync.processWebhook(request.body, typeof signature === 'string' ? signature : undefined);
    return { received: true };
  });
  process.send?.({ url: `${await app.listen({ host: '127.0.0.1', port: 0 })}/webhooks` });
}

await serve();
