import { randomUUID } from 'node:crypto';
import type { Envelope } from '@billing/contracts/event';
import { ENDED_STATUSES } from '@billing/contracts/resources/subscription';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSale } from './start-sale.ts';
import { objectOf, OWNED_TYPES, startService, type Service } from './service.ts';

// What `oncePerCustomer` promises. A sale without a page makes the only living subscription to the product: it is refused where
// one lives, though nothing has told of that yet, and no page that was open then can be paid afterwards. A page is refused where
// one is recorded, and opened before such a sale expires it. What is not promised: of several pages that are open at once, the processor lets each be paid.

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const SALES = {
  saved: { collect: 'saved' },
  invoice: { collect: 'invoice' },
  trial: { collect: 'nothing', trialDays: 14 },
  nothing: { collect: 'nothing' },
} as const;
type Sale = keyof typeof SALES;

const sale = fc.constantFrom<Sale>('saved', 'saved', 'invoice', 'trial', 'nothing');
const place = fc.nat(9);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('open') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('complete'), page: place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire'), page: place }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('sell'), how: sale, times: fc.constantFrom(1, 1, 3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('repeat'), request: place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('sell while completing'), how: sale, page: place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('sell while opening'), how: sale }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('deliver'), picked: fc.array(place, { maxLength: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end') }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

it('sells a product once to a customer, whatever pages, repeats and late webhooks there are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), place, async (steps, turned) => {
      const shop = await openShop();
      for (const one of steps) {
        await take(shop, one);
        await shop.expectOnce();
      }
      await shop.deliver(all => [...all.slice(turned), ...all.slice(0, turned)].toReversed());
      await shop.deliver(all => all);
      const living = (await shop.living()).map(({ id }) => id).toSorted(byText);
      const recorded = (await shop.subscriptions()).filter(({ status }) => !hasEnded(String(status)));
      expect(recorded.map(one => String(one['processorSubscriptionId'])).toSorted(byText)).toEqual(living);
      expect(await shop.sell('saved')).toEqual([living.length > 0 ? '409 already_subscribed' : '201 done']);
      await shop.expectOnce();
    }),
    { numRuns: runs(60) },
  );
});

async function take(shop: Shop, one: Step): Promise<unknown> {
  if (one.kind === 'open') return shop.open();
  if (one.kind === 'complete') return shop.complete(one.page);
  if (one.kind === 'expire') return shop.expire(one.page);
  if (one.kind === 'sell') return shop.sell(one.how, one.times);
  if (one.kind === 'repeat') return shop.repeat(one.request);
  if (one.kind === 'sell while completing') return Promise.all([shop.complete(one.page), shop.sell(one.how)]);
  if (one.kind === 'sell while opening') {
    const [codes] = await Promise.all([shop.sell(one.how), shop.open({ isAlone: false })]);
    return codes.includes('201 done') && shop.expectNoOpenPage();
  }
  if (one.kind === 'end') return shop.end();
  return shop.deliver(all => one.picked.flatMap(at => all[at % Math.max(all.length, 1)] ?? []));
}

type Shop = Awaited<ReturnType<typeof openShop>>;

/** A customer to whom one product is sold, and everything that was done so far. */
async function openShop() {
  const { sell, openPage, sold, customer, scope, subscriptions } = await startSale(service);
  const { dashboard } = service.account;
  const pages: string[] = [];
  const requests: { readonly body: object; readonly headers: Record<string, string>; readonly soldId: string }[] = [];
  const soldAtOnce = new Set<string>();
  const delivered = new Set<string>();
  /** How many pages were paid while a subscription lived. */
  let letThrough = 0;

  const living = async () => (await sold()).filter(({ status }) => !hasEnded(status));
  /** All events of the customer that the service owns, oldest first. */
  const events = async (): Promise<Envelope[]> =>
    (await service.account.events(scope, ...OWNED_TYPES)).filter(
      event => objectOf(event)['customer'] === customer.processorCustomerId,
    );
  const isToldOfAll = async () => (await events()).every(event => delivered.has(eventIdOf(event)));
  const expectNoOpenPage = async () => {
    const sessions = await Promise.all(pages.map(id => dashboard.checkout.sessions.retrieve(id)));
    expect(sessions.map(({ status }) => status)).not.toContain('open');
  };

  return {
    subscriptions,
    living,
    expectNoOpenPage,
    async open({ isAlone = true } = {}) {
      const isToldBefore = await isToldOfAll();
      const before = await living();
      const response = await openPage({ oncePerCustomer: true });
      expect(['201 done', '409 already_subscribed']).toContain(codeOf(response));
      if (isToldBefore && isAlone)
        expect(codeOf(response)).toBe(before.length > 0 ? '409 already_subscribed' : '201 done');
      if (response.status === 201) pages.push(response.body.sessionId);
    },
    async complete(at: number) {
      const page = pages[at % pages.length];
      if (page === undefined) return;
      const before = await living();
      const isPaid = await service.control.checkout(page).then(
        () => true,
        () => false,
      );
      if (isPaid && before.length > 0) letThrough += 1;
    },
    async expire(at: number) {
      const page = pages[at % pages.length];
      if (page !== undefined) await dashboard.checkout.sessions.expire(page).catch(() => undefined);
    },
    /** Sells so often at once; returns what each request was responded with. */
    async sell(how: Sale, times = 1) {
      const isToldBefore = await isToldOfAll();
      const before = await living();
      const responses = await Promise.all(
        Array.from({ length: times }, async () => {
          const body = { ...SALES[how], oncePerCustomer: true };
          const headers = { 'idempotency-key': randomUUID() };
          const response = await sell(body, headers);
          if (response.status === 201) requests.push({ body, headers, soldId: response.body.subscription.id });
          return response;
        }),
      );
      const codes = responses.map(codeOf);
      const made = responses.filter(({ status }) => status === 201);
      for (const { body } of made) soldAtOnce.add(body.subscription.processorSubscriptionId);
      const refusals = codes.filter(code => code !== '201 done');
      const expected = ['409 already_subscribed', ...(times > 1 ? ['409 conflict'] : [])];
      for (const code of refusals)
        expect([...expected, ...(how === 'nothing' ? ['422 payment_required'] : [])]).toContain(code);
      if (before.length > 0 || how === 'nothing') expect(made).toEqual([]);
      else if (isToldBefore && times === 1 && (await living()).length === 0) expect(codes).toEqual(['201 done']);
      if (made.length > 0) await expectNoOpenPage();
      return codes;
    },
    async repeat(at: number) {
      const request = requests[at % requests.length];
      if (!request) return;
      const response = await sell(request.body, request.headers);
      expect([response.status, response.body.subscription?.id]).toEqual([201, request.soldId]);
    },
    /** Delivers what is chosen of all events, those that were delivered before too. */
    async deliver(choose: (all: readonly Envelope[]) => readonly Envelope[]) {
      for (const event of choose(await events())) {
        await service.deliver({ ...event, id: randomUUID() });
        delivered.add(eventIdOf(event));
      }
    },
    async end() {
      const [newest] = await living();
      if (newest) await dashboard.subscriptions.cancel(newest.id);
    },
    async expectOnce() {
      const now = await living();
      expect(now.length).toBeLessThanOrEqual(1 + letThrough);
      if (now.some(({ id }) => soldAtOnce.has(id))) expect(now).toHaveLength(1);
    },
  };
}

const byText = (a: string, b: string) => a.localeCompare(b);

const hasEnded = (status: string): boolean => (ENDED_STATUSES as readonly string[]).includes(status);

const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  `${status} ${body.error?.code ?? 'done'}`;

const eventIdOf = ({ data }: Envelope): string => (data as { eventId: string }).eventId; // every routed event has one
