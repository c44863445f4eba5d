import { BillingClient } from '@billing/client';

const { BILLING_API_KEY: apiKey } = process.env;
const billing = new BillingClient({ baseUrl: 'http://localhost:8080', apiKey, teamId: 'team_…', projectId: 'proj_…' });
const { id: productId } = await billing.products.create({ name: 'Pro' });
const price = await billing.prices.create({ productId, unitAmount: 2999, currency: 'usd', interval: 'month' });
const { id: customerId } = await billing.customers.create({ email: `ada-${Date.now()}@example.com` });
const [successUrl, cancelUrl] = ['https://shop.example/done', 'https://shop.example/'];
const { url } = await billing.checkout.create({ customerId, priceId: price.id, successUrl, cancelUrl });
console.log(`Send the customer to ${url}`);
