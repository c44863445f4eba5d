import { join } from 'node:path';
import { loadState } from './demo-state.ts';

const { DEMO_STATE_FILE, PORT = '3002' } = process.env;
const { GATEWAY_URL = 'http://localhost:8080', PROCESSOR_URL = 'http://localhost:12111' } = process.env;
const state = await loadState(DEMO_STATE_FILE ?? join(import.meta.dirname, '../../../.data/demo.json'));
if (state === undefined) throw new Error('There is no demo yet. Run `npm start` first.');
Object.assign(process.env, {
  BILLING_URL: GATEWAY_URL,
  BILLING_API_KEY: state.apiKey,
  TEAM: state.teamId,
  PROJECT: state.projectId,
  CUSTOMER: state.referrerId,
  PRICE: state.priceId,
  STRIPE_JS: `${PROCESSOR_URL}/stripe.js`,
  PORT,
});
await import('@billing/client/examples/embedded-checkout.mjs');
