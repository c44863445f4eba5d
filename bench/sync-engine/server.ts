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
  }) => { stripe: unknown; processWebhook(payload: Buffer, signature: string | undefined): Promise<void> };
}

/** The part of the library `stripe` that is used, from the engine's own folder. */
type StripeLibrary = new (secretKey: string, options: { host: string; port: string; protocol: 'http' }) => object;

const [folder = '', databaseUrl = '', secret = '', stripeUrl] = process.argv.slice(2);
const SECRET_KEY = 'sk_test_never_checked';

/**
 * Serves `processWebhook` behind a plain route, with the defaults of the package: ten connections, and objects are stored
 * as events contain them. Only a checkout session makes it call Stripe, for the line items.
 */
async function serve(): Promise<void> {
  const require = createRequire(join(folder, 'package.json'));
  // The ESM build cannot find its migrations.
  const engine = require('@supabase/stripe-sync-engine') as SyncEngine;
  await engine.runMigrations({ schema: 'stripe', databaseUrl });
  const sync = new engine.StripeSync({
    poolConfig: { connectionString: databaseUrl },
    stripeSecretKey: SECRET_KEY,
    stripeWebhookSecret: secret,
  });
  if (stripeUrl !== undefined) {
    // The package has no option for the address of the API.
    const { hostname: host, port } = new URL(stripeUrl);
    const Stripe = require('stripe') as StripeLibrary;
    sync.stripe = new Stripe(SECRET_KEY, { host, port, protocol: 'http' });
  }
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
