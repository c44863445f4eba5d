import type { Stripe } from 'stripe';

/** Presses a button of the hosted page, as a browser without JavaScript does. */
export function press(session: { url: string | null }, action: 'pay' | 'decline'): Promise<Response> {
  return fetch(session.url ?? '', { method: 'POST', body: new URLSearchParams({ action }), redirect: 'manual' });
}

/** Creates a customer and a product with a monthly price of 29.99 usd. */
export async function createCustomerAndPrice(
  stripe: Stripe,
): Promise<{ customer: Stripe.Customer; price: Stripe.Price }> {
  const customer = await stripe.customers.create({ email: 'ada@example.com', name: 'Ada' });
  const product = await stripe.products.create({ name: 'Pro' });
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 2999,
    recurring: { interval: 'month' },
  });
  return { customer, price };
}

/** Creates a customer, a price and an open subscription session. */
export async function openCheckout(
  stripe: Stripe,
  more: Partial<Stripe.Checkout.SessionCreateParams> = {},
): Promise<{ session: Stripe.Checkout.Session; customer: Stripe.Customer; price: Stripe.Price }> {
  const { customer, price } = await createCustomerAndPrice(stripe);
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    line_items: [{ price: price.id, quantity: 1 }],
    success_url: 'http://localhost:9/done?session={CHECKOUT_SESSION_ID}',
    cancel_url: 'http://localhost:9/back',
    ...more,
  });
  return { session, customer, price };
}

/** Returns the id of a field that contains an id or an expanded object. */
export function idOf(reference: string | { id: string } | null): string {
  if (reference === null) throw new Error('The field is null.');
  return typeof reference === 'string' ? reference : reference.id;
}
