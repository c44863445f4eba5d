import { EVENT_TYPES } from '@billing/contracts/event-types';
import { catalogDocument } from '@billing/contracts/resources/catalog-document';
import { catalogKey } from '@billing/contracts/resources/catalog-key';
import { OPEN_INVOICE_CHOICES } from '@billing/contracts/resources/subscription-cancel';
import { CUSTOMER_PAYMENT_STATUSES } from '@billing/contracts/resources/customer-state';
import { featureKey, featureValue } from '@billing/contracts/resources/feature';
import { INVOICE_STATUSES } from '@billing/contracts/resources/invoice';
import { CHANGE_TIMES } from '@billing/contracts/resources/plan-change';
import { meterName } from '@billing/contracts/resources/price';
import { SUBSCRIPTION_STATUSES } from '@billing/contracts/resources/subscription';
import { PAUSED_INVOICES } from '@billing/contracts/resources/subscription-pause';
import { CLOCK_TARGETS, MAX_CUSTOMERS_OF_CLOCK, TEST_CARDS } from '@billing/contracts/resources/test-clock';
import { z } from 'zod';
import { DURATION } from './duration.rules.ts';

/** A day is its midnight in UTC. */
const time = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], 'Expected a day such as 2030-01-31, or a time.')
  .meta({
    id: 'Time',
    description: 'A day, which begins in UTC, or a time.',
    examples: ['2030-01-31', '2030-01-31T12:00:00Z'],
  });
const customerName = z.string().regex(/^[a-z][a-z0-9_-]{0,30}$/, 'Expected a short name of a-z, digits, - and _.');
const customer = customerName.describe('One of `customers`.');
const priceKey = catalogKey.describe('The key of a price in the catalog.');
const quantity = z.int().min(1).exactOptional().describe('How many.');
const amount = z.int().exactOptional().describe('In the smallest unit of the currency.');
const flag = z.boolean().exactOptional();
const count = z.int().min(0).exactOptional();

/** What an object with exactly one field has as JSON Schema. */
const ONE_FIELD = { minProperties: 1, maxProperties: 1 };
const isSingle = (fields: object): boolean => Object.keys(fields).length === 1;

/** What a step that calls the API may be: refused. */
const refused = z
  .string()
  .exactOptional()
  .describe('The code of the error that the API is to respond with, such as `payment_failed`; then nothing happens.');

const expectation = z
  .strictObject({
    customer,
    subscription: z
      .strictObject({
        status: z.enum(SUBSCRIPTION_STATUSES).exactOptional(),
        priceKey: catalogKey.exactOptional(),
        quantity,
        cancelAtPeriodEnd: flag,
        paused: flag.describe('Whether its payments are paused.'),
        trialEnd: time.nullable().exactOptional(),
        currentPeriodEnd: time.exactOptional(),
        endedAt: time.nullable().exactOptional(),
      })
      .exactOptional()
      .describe('The subscription that was sold last.'),
    entitlements: z
      .record(featureKey, featureValue.nullable())
      .exactOptional()
      .describe('By feature, what the customer may use; null: nothing gives it.'),
    payment: z
      .strictObject({
        status: z.enum(CUSTOMER_PAYMENT_STATUSES).exactOptional(),
        amountDue: amount,
        pastDueSince: time.nullable().exactOptional(),
        graceEndsAt: time.nullable().exactOptional(),
      })
      .exactOptional()
      .describe('How far the customer has paid.'),
    invoices: z
      .partialRecord(z.enum(INVOICE_STATUSES), count.unwrap())
      .exactOptional()
      .describe('How many the customer has, by status.'),
    latestInvoice: z
      .strictObject({
        status: z.enum(INVOICE_STATUSES).exactOptional(),
        total: amount,
        amountDue: amount,
        amountPaid: amount,
        currency: z.string().exactOptional(),
      })
      .exactOptional()
      .describe('The newest invoice of the customer.'),
    events: z
      .array(z.enum(EVENT_TYPES))
      .exactOptional()
      .describe('Types of events that the last step with a change had, among others.'),
  })
  .meta({ id: 'Expectation', description: 'What is to be so. Only what is named is compared.' });

/** What a step may be. */
const STEPS = {
  sell: z
    .strictObject({
      customer,
      priceKey,
      quantity,
      trialDays: z.int().min(1).max(730).exactOptional().describe('Free days before the first payment.'),
      promotionCode: z.string().exactOptional().describe('The text of a promotion code.'),
      collect: z
        .enum(['saved', 'invoice', 'nothing'])
        .default('saved')
        .describe('Charge the card, send invoices, or sell what costs nothing now.'),
      refused,
    })
    .describe('Sells a subscription without a page.'),
  card: z.strictObject({ customer, card: z.enum(TEST_CARDS) }).describe('Gives a customer another card.'),
  change: z
    .strictObject({
      customer,
      priceKey: priceKey.exactOptional(),
      quantity,
      when: z.enum(CHANGE_TIMES).default('now'),
      refused,
    })
    .describe('Changes the plan or the quantity of the subscription that was sold last.'),
  cancel: z
    .strictObject({
      customer,
      when: z.enum(['now', 'period_end']),
      openInvoices: z
        .enum(OPEN_INVOICE_CHOICES)
        .default('keep')
        .describe('Of a cancellation now: whether drafts and open invoices are voided.'),
      refused,
    })
    .describe('Cancels it.'),
  pause: z
    .strictObject({ customer, invoices: z.enum(PAUSED_INVOICES).default('void'), refused })
    .describe('Pauses its payments.'),
  resume: z.strictObject({ customer, refused }).describe('Ends the pause.'),
  usage: z
    .strictObject({ customer, meter: meterName.describe('The meter of a price.'), value: z.int().min(0), refused })
    .describe('Records what the customer has used, and waits until the processor has counted it.'),
  migrate: z
    .strictObject({ fromPriceKey: priceKey, toPriceKey: priceKey })
    .describe('Moves the subscriptions of this rehearsal from one price to another at the end of their periods.'),
  advance: z
    .strictObject({
      to: time.exactOptional(),
      until: z.enum(CLOCK_TARGETS).exactOptional(),
      by: z
        .string()
        .regex(DURATION, 'Expected a duration such as `1 month` or `3 days`.')
        .exactOptional()
        .describe('Such as `1 month` or `3 days`.'),
    })
    .refine(isSingle, 'Expected one of `to`, `until` and `by`.')
    .meta({
      description: 'Advances the clock: to a time, until something has happened, or by a duration.',
      ...ONE_FIELD,
    }),
  expect: expectation,
};

type Contents = { readonly [Name in keyof typeof STEPS]: z.output<(typeof STEPS)[Name]> };
/** What happens, by `do`. */
export type Step = { [Name in keyof Contents]: { readonly do: Name } & Contents[Name] }[keyof Contents];

const step = z
  .strictObject(STEPS)
  .partial()
  .refine(isSingle, `Expected one of ${Object.keys(STEPS).join(', ')}.`)
  .meta({ id: 'Step', description: 'One thing that happens.', ...ONE_FIELD })
  .transform(fields => {
    const [entry] = Object.entries(fields);
    return { do: entry?.[0], ...entry?.[1] } as Step; // it has one field
  });

/** A rehearsal as its file has it. */
export const rehearsal = z
  .strictObject({
    name: z.string().min(1).max(300).describe('What people know it by.'),
    now: time.describe('Where the clock starts.'),
    catalog: catalogDocument.exactOptional().describe('What is sold: a document of a catalog, which is applied first.'),
    catalogFile: z.string().min(1).exactOptional().describe('The path of its file instead, seen from this one.'),
    customers: z
      .record(
        customerName,
        z.strictObject({
          card: z
            .enum([...TEST_CARDS, 'none'])
            .default('ok')
            .describe('`declines`: each charge is declined. `authentication`: each wants the customer to confirm it.'),
          externalId: z.string().exactOptional().describe('Your own id of the customer.'),
        }),
      )
      .refine(
        all => Object.keys(all).length >= 1 && Object.keys(all).length <= MAX_CUSTOMERS_OF_CLOCK,
        `Expected one to ${MAX_CUSTOMERS_OF_CLOCK} customers.`,
      )
      .describe(`One to ${MAX_CUSTOMERS_OF_CLOCK} customers, by a name for this file.`),
    steps: z.array(step).min(1).describe('What happens, in this order.'),
  })
  .superRefine(({ customers, steps, catalog, catalogFile }, context) => {
    const reject = (path: readonly PropertyKey[], message: string) =>
      context.addIssue({ code: 'custom', path: [...path], message });
    if (catalog && catalogFile) reject(['catalogFile'], 'Expected either `catalog` or `catalogFile`.');
    steps.forEach((one, index) => {
      if ('customer' in one && !(one.customer in customers))
        reject(['steps', index, one.do, 'customer'], `No customer is called ${one.customer}.`);
    });
  })
  .meta({ id: 'Rehearsal', description: 'Customers, what happens to them, and what is expected.' });
export type Rehearsal = z.output<typeof rehearsal>;
