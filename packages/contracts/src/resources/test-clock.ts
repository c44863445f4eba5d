import { z } from 'zod';
import { CustomerId, ProjectId, TestClockId } from '../ids.ts';
import { optional } from '../optional.ts';
import { text } from '../text.ts';
import { createdAt, givenTime, timestamp } from '../timestamp.ts';

/** Customers that one clock may have. https://docs.stripe.com/billing/testing/test-clocks#limitations */
export const MAX_CUSTOMERS_OF_CLOCK = 3;
/** Clocks of an account of the processor. */
export const MAX_CLOCKS = 100;

export const TEST_CLOCK_STATUSES = ['ready', 'advancing', 'failed'] as const;

/** Up to when a clock advances where no time is given. */
export const CLOCK_TARGETS = ['next_invoice', 'trial_end', 'period_end'] as const;
export type ClockTarget = (typeof CLOCK_TARGETS)[number];

export const testClock = z
  .object({
    id: TestClockId.schema,
    projectId: ProjectId.schema,
    processorTestClockId: z
      .string()
      .meta({ description: 'The id of the clock at the payment processor.', example: 'clock_1RqZbK2eZvKYlo2C' }),
    name: z.string().meta({ description: 'What people know it by.', example: 'A year of Pro' }),
    now: timestamp.describe('The time that its customers live in.'),
    target: timestamp.nullable().describe('Where it advances to; null when it does not.'),
    status: z
      .enum(TEST_CLOCK_STATUSES)
      .describe('`ready`: all that happened until `now` is recorded here, and has its events.'),
    customerIds: z.array(CustomerId.schema).readonly().describe('The customers on it, at most three.'),
    createdAt,
    deletesAt: timestamp.describe('When the payment processor deletes it, with its customers.'),
  })
  .meta({
    id: 'TestClock',
    description: 'A clock of the payment processor in test mode: the billing of its customers follows its time.',
    example: { status: 'ready', target: null, deletesAt: '2026-04-01T09:30:00.000Z' },
  });
export type TestClock = z.output<typeof testClock>;

export const testClockCreate = z
  .strictObject({
    name: text(300).meta({ description: 'What people know it by.', example: 'A year of Pro' }),
    now: optional(givenTime).describe('Where it starts; the present time unless given.'),
    customerId: optional(CustomerId.schema).describe('A customer to put on it, for good; others are created on it.'),
  })
  .meta({ id: 'TestClockCreate', description: 'A test clock to create.', example: { name: 'A year of Pro' } });

export const testClockAdvance = z
  .union(
    [
      z.strictObject({ to: givenTime.describe('A time ahead, at most two years.') }),
      z.strictObject({
        until: z
          .enum(CLOCK_TARGETS)
          .describe(
            '`next_invoice`: the first invoice of any of its subscriptions is no draft. `trial_end`, `period_end`: the first that comes.',
          ),
      }),
    ],
    `Expected either \`to\`, a time, or \`until\`, one of ${CLOCK_TARGETS.join(', ')}.`,
  )
  .meta({
    id: 'TestClockAdvance',
    description: 'How far a clock advances: to a time, or until something has happened.',
    example: { until: 'next_invoice' },
  });

export const TEST_CARDS = ['ok', 'declines', 'authentication'] as const;
export type TestCard = (typeof TEST_CARDS)[number];

export const testCard = z
  .strictObject({
    card: z
      .enum(TEST_CARDS)
      .describe('`declines`: each charge is declined. `authentication`: each charge wants the customer to confirm it.'),
  })
  .meta({ id: 'TestCard', description: 'How the card of a customer is to behave.', example: { card: 'declines' } });
