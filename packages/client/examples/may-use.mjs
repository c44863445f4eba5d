import { createServer } from 'node:http';
import { BillingClient } from '@billing/client';

const { BILLING_API_KEY: apiKey } = process.env;
const billing = new BillingClient({ baseUrl: 'http://localhost:8080', apiKey, teamId: 'team_…', projectId: 'proj_…' });
createServer(async (request, response) => {
  const entitlements = await billing.entitlements({ externalId: 'ada' });
  // Neither yes nor no: billing can't be reached, and nothing that counts was known before.
  if (entitlements.check('seats') === 'unknown') response.writeHead(503).end('Try again in a moment\n');
  else if (entitlements.allows('seats')) response.end(`Up to ${entitlements.limit('seats')} people\n`);
  else response.writeHead(402).end('Subscribe first\n');
}).listen(3000);
