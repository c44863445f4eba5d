import { createServer } from 'node:http';
import { BillingClient } from '@billing/client';

const { BILLING_URL: baseUrl, BILLING_API_KEY: apiKey, TEAM: teamId, PROJECT: projectId } = process.env;
const { CUSTOMER: customerId, PRICE: priceId, STRIPE_JS: script, PORT: port } = process.env;
const billing = new BillingClient({ baseUrl, apiKey, teamId, projectId });
const page = ({ publishableKey, clientSecret }) => `<!doctype html><h1>Our shop</h1><div id="checkout"></div>
<script src="${script ?? 'https://js.stripe.com/endive/stripe.js'}"></script>
<script type="module">
  const fetchClientSecret = async () => '${clientSecret}';
  const checkout = await Stripe('${publishableKey}').createEmbeddedCheckoutPage({ fetchClientSecret });
  checkout.mount('#checkout');
</script>`;
createServer(async (request, response) => {
  const successUrl = `http://localhost:${port}/done?session={CHECKOUT_SESSION_ID}`;
  const sell = () => billing.checkout.create({ customerId, priceId, page: 'embedded', successUrl });
  const isPaid = request.url.startsWith('/done');
  response.setHeader('content-type', 'text/html').end(isPaid ? 'Thank you' : page(await sell()));
}).listen(port, () => console.log(`http://localhost:${port}`));
