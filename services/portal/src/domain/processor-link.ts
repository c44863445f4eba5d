/** The processor's hosted pages. https://docs.stripe.com/payments/checkout */
const HOSTED_PAGES = 'https://checkout.stripe.com';
/** Every address of the processor is below it: `pay.`, `invoice.`, `checkout.`, `files.` */
const DOMAIN = 'stripe.com';
const THIS_MACHINE = ['localhost', '127.0.0.1'];

/**
 * Where the processor's own pages are: at the real Stripe, or at the stand-in that `baseUrl` names. One on this machine
 * may call itself by either of its two names.
 */
export function processorOrigins(baseUrl: string | undefined): string[] {
  if (baseUrl === undefined) return [HOSTED_PAGES];
  const { protocol, hostname, port, origin } = new URL(baseUrl);
  if (!THIS_MACHINE.includes(hostname)) return [origin];
  return THIS_MACHINE.map(name => new URL(`${protocol}//${name}:${port}`).origin);
}

/**
 * An address the page may lead to: the processor's by https, or its stand-in's, and never one with a user name.
 * Anything else, `javascript:` first of all, is null.
 */
export function processorLink(address: string | null, baseUrl: string | undefined): string | null {
  const url = plainUrl(address);
  if (!url) return null;
  const isProcessors = url.protocol === 'https:' && `.${url.hostname}`.endsWith(`.${DOMAIN}`);
  return isProcessors || isStandIns(url, baseUrl) ? url.href : null;
}

/**
 * A page that the processor itself has just opened for a customer. It may be at a domain of the team's own, which
 * Stripe serves by https. https://docs.stripe.com/payments/checkout/custom-domains
 */
export function openedPage(address: string | null, baseUrl: string | undefined): string | null {
  const url = plainUrl(address);
  return url && (url.protocol === 'https:' || isStandIns(url, baseUrl)) ? url.href : null;
}

function plainUrl(address: string | null): URL | null {
  const url = URL.parse(address ?? '');
  return url && url.username === '' && url.password === '' ? url : null;
}

const isStandIns = (url: URL, baseUrl: string | undefined): boolean =>
  baseUrl !== undefined && processorOrigins(baseUrl).includes(url.origin);
