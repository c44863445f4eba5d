import { setImmediate as nextTurn } from 'node:timers/promises';
import { attemptPayment, createPaymentIntent } from '../billing/payments.ts';
import { refundCharge } from '../billing/refunds.ts';
import { openDispute } from '../billing/disputes.ts';
import { newId, withIdsFrom } from '../domain/ids.ts';
import { isDeleted, newCustomer } from '../objects/customer.ts';
import { attach, newPaymentMethod, type TestCard } from '../objects/payment-method.ts';
import type { Customer, PaymentMethod, TestClock } from '../objects/stored.ts';
import type { Account } from '../store/account.ts';
import type { Table } from '../store/table.ts';
import { createCatalog, metadataOf, type Catalog, type Owner } from './catalog.ts';
import { apartFrom, type PastUnit } from './past-unit.ts';
import { personOf } from './people.ts';
import { seededRandom, type Random } from './random.ts';
import { STORIES } from './stories.ts';
import { DAY } from './subscriber.ts';

const OWNERS: readonly (readonly [Owner, number])[] = [
  ['shop', 60],
  ['forum', 25],
  ['other', 15],
];
const CARDS: readonly (readonly [TestCard, number])[] = [
  [{ brand: 'visa', label: 'Visa', last4: '4242', funding: 'credit' }, 5],
  [{ brand: 'mastercard', label: 'Mastercard', last4: '4444', funding: 'credit' }, 3],
  [{ brand: 'amex', label: 'American Express', last4: '0005', funding: 'credit' }, 1],
];
const CLOCKS = 3;
/** Rows that are written to disk together. */
const ROWS_A_FLUSH = 2_000;
/** Customers that are told before others get their turn. */
const CUSTOMERS_A_TURN = 100;

/** What a past is made of. */
export interface Past {
  readonly customers: number;
  readonly seed: number;
  /** When it ends, in Unix seconds. */
  readonly until: number;
}

/**
 * Fills an account without customers with a plausible past: the same past always gives the same objects, byte for byte.
 * Nothing of it emits an event. Other requests get their turns meanwhile; the account changes at the end and at once, so that
 * neither they nor the clock find a half of it.
 */
export async function fillAccount(
  account: Account,
  { customers, seed, until }: Past,
  { publicUrl, flush }: { readonly publicUrl: string; readonly flush: () => void },
): Promise<void> {
  const unit = apartFrom(account, publicUrl);
  const draw = (part: string | number): Random => seededRandom(`${seed} ${part}`);
  const told = <Result>(part: string | number, tell: (random: Random) => Result): Result => {
    const random = draw(part);
    return withIdsFrom(
      count => random.bytes(count),
      () => tell(random),
    );
  };
  unit.now = until - 1_200 * DAY;
  const catalogs = told('catalog', () => new Map(OWNERS.map(([owner]) => [owner, createCatalog(unit, owner)])));
  const clocks = told('clocks', () => Array.from({ length: CLOCKS }, (_, index) => newClock(unit, until, index)));
  for (let number = 0; number < customers; number += 1) {
    told(number, random => {
      const owner = random.pick(OWNERS);
      const catalog = catalogs.get(owner);
      if (catalog) tellCustomer({ unit, random, until, number, owner, catalog, clocks });
    });
    if (number % CUSTOMERS_A_TURN === 0) await nextTurn();
  }
  moveInOrder(unit.account, account, flush);
}

interface Telling {
  readonly unit: PastUnit;
  readonly random: Random;
  readonly until: number;
  readonly number: number;
  readonly owner: Owner;
  readonly catalog: Catalog;
  readonly clocks: readonly TestClock[];
}

function tellCustomer({ unit, random, number, owner, catalog, clocks, ...telling }: Telling): void {
  const clock = random.chance(0.004) ? random.pick(clocks.map(one => [one, 1] as const)) : null;
  const until = clock?.frozen_time ?? telling.until;
  const metadata = {
    ...metadataOf(owner),
    ...(random.chance(0.3) && {
      plan: random.pick([
        ['a', 1],
        ['b', 1],
      ]),
    }),
  };
  const person = personOf(number, random);
  unit.now = until - random.between(5, 1_100) * DAY;
  const drafted = newCustomer(unit, { ...person, metadata, testClock: clock?.id ?? null });
  if (random.chance(0.1)) return void unit.create('customer', drafted);
  const price = random.pick(catalog.recurring);
  const card = unit.create('payment_method', newPaymentMethod(unit, random.pick(CARDS), drafted));
  const customer: Customer = {
    ...drafted,
    invoice_settings: { ...drafted.invoice_settings, default_payment_method: card.id },
  };
  unit.create('customer', customer);
  const attached = attach(unit, card, customer);
  random.pick(STORIES)({ unit, random, until, customer, card: attached, price, metadata });
  // Nobody buys before they are a customer.
  const begun = unit.tables.subscription.withField('customer', customer.id).map(({ created }) => created);
  becomeCustomerBy(unit, customer.id, Math.min(...begun) - random.between(1, 3_000) * 60);
  if (random.chance(0.05)) buyOnce({ unit, random, customer, card: attached, until });
  if (random.chance(0.03)) undoPayment(unit, random, customer.id, until);
}

/** Dates a customer and its card back to a time in Unix seconds, unless they are older. */
function becomeCustomerBy(unit: PastUnit, id: string, time: number): void {
  const customer = unit.tables.customer.get(id);
  if (!customer || isDeleted(customer)) return;
  const created = Math.min(customer.created, time);
  unit.tables.customer.put({ ...customer, created });
  for (const card of unit.tables.payment_method.withField('customer', id))
    unit.tables.payment_method.put({ ...card, created });
}

interface Buying extends Pick<Telling, 'unit' | 'random' | 'until'> {
  readonly customer: Customer;
  readonly card: PaymentMethod;
}

function buyOnce({ unit, random, customer, card, until }: Buying): void {
  unit.now = until - random.between(1, 400) * DAY;
  const payable = { amount: random.between(5, 90) * 100, currency: customer.currency ?? 'usd', customer: customer.id };
  const intent = createPaymentIntent(
    unit,
    { ...payable, description: 'One-time purchase', metadata: customer.metadata },
    false,
  );
  attemptPayment(unit, intent, card, random.chance(0.1) ? 'declines' : 'pays');
}

/** Refunds the customer's newest charge, or has the bank dispute it. */
function undoPayment(unit: PastUnit, random: Random, customer: string, until: number): void {
  const charge = unit.tables.charge.withField('customer', customer).find(({ paid, disputed }) => paid && !disputed);
  if (!charge) return;
  unit.now = Math.min(until, charge.created + random.between(1, 20) * DAY);
  if (random.chance(0.2)) return void openDispute(unit, charge, 'fraudulent');
  const amount = random.chance(0.5) ? undefined : Math.ceil(charge.amount / 2);
  refundCharge(unit, charge, { amount, reason: 'requested_by_customer', metadata: {} });
}

function newClock(unit: PastUnit, until: number, index: number): TestClock {
  return unit.create('test_helpers.test_clock', {
    id: newId('clock_1'),
    object: 'test_helpers.test_clock',
    created: until - 20 * DAY,
    deletes_after: until + 10 * DAY,
    frozen_time: until + (index - 1) * 45 * DAY,
    livemode: unit.livemode,
    name: `Renewals ${index + 1}`,
    status: 'ready',
    status_details: {},
  });
}

/** Puts every object into the account, the oldest first, as if each had been created at its time. */
function moveInOrder(from: Account, to: Account, flush: () => void): void {
  let moved = 0;
  for (const [name, source] of Object.entries(from.tables)) {
    // Both accounts have the same tables; a row stays in the table of its name.
    const target = Reflect.get(to.tables, name) as Table<{ id: string }>;
    const rows: { id: string; created?: number }[] = source.newestFirst().toReversed();
    for (const row of rows.toSorted((a, b) => (a.created ?? 0) - (b.created ?? 0))) {
      target.put(row);
      moved += 1;
      if (moved % ROWS_A_FLUSH === 0) flush();
    }
  }
  flush();
}
