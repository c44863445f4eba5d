import { brief, text, type Problems } from './checks.ts';
import type { LogEvent, World } from './world.ts';

/** Objects that change because of another one, which nobody requested. */
const BY_SYSTEM =
  /^(customer[.]state_changed|referral[.]converted|referral_code[.]deactivated|referral_credit[.].*|webhook_endpoint[.]disabled)$/;
const LINKS = new Set([
  'customerId',
  'subscriptionId',
  'priceId',
  'invoiceId',
  'items',
  'email',
  'discounts',
  'scheduledChange',
  'pendingChange',
]);
/** The processor's objects whose events may change ours. */
const SOURCES: Readonly<Record<string, RegExp>> = {
  customer: /^customer[.](created|updated|deleted)$/,
  product: /^product[.]/,
  price: /^(price|product)[.]/,
  subscription: /^(customer|checkout|invoice|subscription_schedule)[.]/,
  invoice: /^(invoice|customer[.]subscription|checkout[.]session)[._]/,
  payment: /^(payment_intent|charge|refund|invoice_payment|invoice)[._]/,
};

/** Each event has the cause that led to it. */
export async function checkCauses(world: World, events: readonly LogEvent[], problems: Problems): Promise<void> {
  const { requests } = world;
  const sent = new Map(
    (await world.fromProcessor('events')).map(it => [it.id, it as { type?: string; created?: number }]),
  );
  for (const event of events) {
    const { type, requestId, processorEventId } = event.cause;
    const wrong = (why: string) => problems.push(`${brief(event)} ${why}: ${text({ ...event, data: undefined })}`);
    if (type === 'api' || type === 'portal') {
      const request = requests.get(requestId ?? '');
      if (!request || request.method === 'GET') wrong('names no request that was made');
      else if (request.path.startsWith('/api/portal/') !== (type === 'portal'))
        wrong(`was requested at ${request.path}`);
      if (processorEventId !== null) wrong('names an event of the processor too');
      continue;
    }
    if (requestId !== null) wrong('names a request');
    if (type !== 'processor' && processorEventId !== null) wrong('names an event of the processor');
    const source = sent.get(processorEventId ?? '');
    if (type === 'processor' && processorEventId !== null) {
      if (!source) wrong('names no event of the processor');
      else if (!SOURCES[event.object.type]?.test(String(source.type))) wrong(`was caused by ${source.type}`);
      // The processor's clock is in whole seconds; a customer is not deleted before it was created.
      else if (Math.floor(new Date(event.timestamp).getTime() / 1_000) !== source.created)
        wrong(`is dated otherwise than its cause, ${new Date(Number(source.created) * 1_000).toISOString()}`);
    }
    const isLink = Object.keys(event.previousAttributes ?? { none: null }).every(name => LINKS.has(name));
    if (type === 'system' && !BY_SYSTEM.test(event.type) && !isLink) wrong('has no cause');
  }
  for (const [requestId, { method, path, status }] of requests) {
    const made = MAKES.find(([wanted, pattern]) => wanted === method && pattern.test(path))?.[2];
    if (!made || status >= 300) continue;
    const named = events.filter(({ cause, type }) => cause.requestId === requestId && type === made);
    if (named.length !== 1) problems.push(`${method} ${path} gave ${named.map(brief).join()}, not ${made}`);
  }
}

/** Requests that cannot succeed without an event. */
const MAKES: readonly (readonly [string, RegExp, string])[] = [
  ['POST', /[/]customers$/, 'customer.created'],
  ['DELETE', /[/]customers[/]\w+$/, 'customer.deleted'],
  ['POST', /[/]products$/, 'product.created'],
  ['DELETE', /[/]products[/]\w+$/, 'product.deleted'],
  ['POST', /[/]prices$/, 'price.created'],
  ['DELETE', /[/]prices[/]\w+$/, 'price.deleted'],
  ['POST', /[/]referrals[/]codes$/, 'referral_code.created'],
  ['POST', /[/]referrals[/]apply$/, 'referral.created'],
];
