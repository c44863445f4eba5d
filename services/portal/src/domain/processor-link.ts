/** Host of Stripe's hosted pages. https://docs.stripe.com/payments/checkout */
const HOSTED_PAGES = 'https://checkout.stripe.com';
/** Parent domain of every Stripe host: `pay.`, `invoice.`, `checkout.`, `files.` */
const STRIPE_DOMAIN = 'stripe.com';
const LOOPBACK_HOSTS = ['localhost', '127.0.0.1'];

/**
 * Returns the origins of the processor's hosted pages: Stripe's, or those of the local processor at `baseUrl`. A
 * processor on this machine has two origins, since it may be called by either loopback name.
 */
export function processorOrigins(baseUrl: string | undefined): string[] {
  if (baseUrl === undefined) return [HOSTED_PAGES];
  const { protocol, hostname, port, origin } = new URL(baseUrl);
  if (!LOOPBACK_HOSTS.includes(hostname)) return [origin];
  return LOOPBACK_HOSTS.map(host => new URL(`${protocol}//${host}:${port}`).origin);
}

/**
 * Returns an address the page may link to: below `stripe.com` by https, or at the local processor, without credentials
 * in it. Returns null for any other address, such as `javascript:…`.
 */
export function processorLink(address: string | null, baseUrl: string | undefined): string | null {
  const url = urlWithoutCredentials(address);
  if (!url) return null;
  const isStripe = url.protocol === 'https:' && `.${url.hostname}`.endsWith(`.${STRIPE_DOMAIN}`);
  return isStripe || isLocalProcessor(url, baseUrl) ? url.href : null;
}

/**
 * Returns the address of a page that the processor has just opened for a customer, or null if it must not be followed.
 * A team may serve Stripe's pages from its own domain, so every https address is allowed.
 * https://docs.stripe.com/payments/checkout/custom-domains
 */
export function hostedPageLink(address: string | null, baseUrl: string | undefined): string | null {
  const url = urlWithoutCredentials(address);
  return url && (url.protocol === 'https:' || isLocalProcessor(url, baseUrl)) ? url.href : null;
}

function urlWithoutCredentials(address: string | null): URL | null {
  const url = URL.parse(address ?? '');
  return url && url.username === '' && url.password === '' ? url : null;
}

const isLocalProcessor = (url: URL, baseUrl: string | undefined): boolean =>
  baseUrl !== undefined && processorOrigins(baseUrl).includes(url.origin);
