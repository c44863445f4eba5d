import { createRequire } from 'node:module';
import { join } from 'node:path';
import Fastify from 'fastify';

/** The part of the package that is used. It is installed only for the benchmark, so its own types are missing. */
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
 * Serves `processWebhook` behind a plain route, with the defaults of the package: ten connections, and objects are stored
 * as events contain them, without a call to Stripe.
 */
async function serve(): Promise<void> {
  const require = createRequire(join(folder, 'package.json'));
  // The ESM build cannot find its migrations.
  const engine = require('@supabase/stripe-sync-engine') as SyncEngine;
  await engine.runMigrations({ schema: 'stripe', databaseUrl });
  const sync = new engine.StripeSync({
    poolConfig: { connectionString: databaseUrl },
    stripeSecretKey: 'sk_test_never_checked',
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
