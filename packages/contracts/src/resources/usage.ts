import { z } from 'zod';
import { CustomerId } from '../ids.ts';
import { optional } from '../optional.ts';
import { text } from '../text.ts';
import { createdAt, givenTime, timestamp } from '../timestamp.ts';
import { meterName } from './price.ts';

/** The processor takes no more digits. https://docs.stripe.com/changelog/dahlia/2026-04-22/billing-meter-event-values-validation */
const MAX_VALUE = 999_999_999_999_999;
const MAX_EVENTS = 100;

export const USAGE_STATUSES = ['pending', 'sent', 'rejected'] as const;

const ID = 'Your own id of the event, unique in the project for 40 days.';
const METER = 'The meter that counts it, by the name of its events at the payment processor (`event_name`).';
const example = { id: 'call-4711', meter: 'api_calls', value: 25 };
const REASON = {
  code: 'meter_event_customer_not_found',
  message: 'Meter event customer not found for event name api_calls.',
};

export const usage = z
  .object({
    id: z.string().describe(ID),
    customerId: CustomerId.schema,
    meter: z.string().describe(METER),
    value: z.int().describe('How much was used.'),
    at: timestamp.describe('When it was used.'),
    status: z
      .enum(USAGE_STATUSES)
      .describe('`pending` until the payment processor has it, then `sent`; it may reject it at once, or later.'),
    reason: z
      .object({
        code: z.string().meta({
          description:
            'The payment processor’s code; `outcome_unknown` when it cannot be known any more whether it has the event.',
          example: REASON.code,
        }),
        message: z.string().meta({
          description: 'For people.',
          example: REASON.message,
        }),
      })
      .nullable()
      .describe('Why it was rejected; else null.'),
    createdAt,
    sentAt: timestamp.nullable().describe('When the payment processor took it; null before.'),
  })
  .meta({
    id: 'Usage',
    description: 'Usage of a customer, which metered prices bill.',
    example: { ...example, status: 'rejected', reason: REASON },
  });
export type Usage = z.output<typeof usage>;

const usageEvent = z
  .strictObject({
    id: text(100).describe(ID),
    customerId: optional(CustomerId.schema),
    externalId: optional(text(255)).describe('Your own id of the customer, in place of `customerId`.'),
    meter: meterName.describe(METER),
    value: z.int().min(0).max(MAX_VALUE).describe('How much was used: a whole number of at most 15 digits.'),
    at: optional(givenTime).describe('When it was used, within the last 34 days; now unless given.'),
  })
  .refine(it => (it.customerId === undefined) !== (it.externalId === undefined), {
    path: ['customerId'],
    message: 'Expected either `customerId` or `externalId`.',
  })
  .meta({
    id: 'UsageEvent',
    description: 'Usage of a customer at one time.',
    example: { ...example, customerId: CustomerId.example, externalId: undefined },
  });
export type UsageEvent = z.output<typeof usageEvent>;

export const usageCreate = z
  .strictObject({ events: z.array(usageEvent).min(1).max(MAX_EVENTS).describe('One wrong event refuses all of them.') })
  .meta({ id: 'UsageCreate', description: 'Usage to record.' });

export const usageFilter = {
  status: z.enum(USAGE_STATUSES).optional().describe('Only usage with this status.'),
  customerId: CustomerId.schema.optional().describe('Only usage of this customer.'),
  meter: text(100).optional().describe('Only usage that this meter counts.'),
};

export const usageSummary = z
  .object({
    start: timestamp.describe('From when on.'),
    end: timestamp.meta({ description: 'Until before when.', example: '2026-03-02T10:30:00.000Z' }),
    value: z.number().meta({ description: 'What the meter has counted, as a rule the sum.', example: 1_250 }),
  })
  .meta({ id: 'UsageSummary', description: 'What a meter has counted of a customer in a time.' });
export type UsageSummary = z.output<typeof usageSummary>;

export const summaryQuery = z.strictObject({
  meter: text(100).describe(METER),
  start: givenTime.describe('Rounded down to a whole minute; with `window` to a whole hour or UTC day.'),
  end: givenTime.describe('Rounded up in the same way.'),
  window: z
    .enum(['hour', 'day'])
    .optional()
    .describe('Sums up each hour or each UTC day, at most 1,000 of them; all of the time unless given.'),
});
export type SummaryQuery = z.output<typeof summaryQuery>;
