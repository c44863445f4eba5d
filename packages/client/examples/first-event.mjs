import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { BillingClient, verifyWebhook } from '@billing/client';

const { BILLING_API_KEY: apiKey } = process.env;
const billing = new BillingClient({ baseUrl: 'http://localhost:8080', apiKey, teamId: 'team_…', projectId: 'proj_…' });
const url = 'http://localhost:3001/billing';
// The endpoint of an earlier run has another secret.
for await (const old of billing.webhookEndpoints.list())
  if (old.url === url) await billing.webhookEndpoints.delete(old.id);
const { webhookEndpoint, secret } = await billing.webhookEndpoints.create({ url });
createServer(async (request, response) => {
  const event = await verifyWebhook(await text(request), request.headers, secret).catch(console.error);
  if (event) console.log(event.type, event.object.id);
  response.writeHead(event ? 204 : 400).end();
}).listen(3001);
await billing.webhookEndpoints.test(webhookEndpoint.id);
