import { z } from 'zod';
import { declareOperations } from '../declare-operations.ts';
import { PriceId } from '../ids.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { discountSet, REDEMPTION_REFUSALS } from '../resources/promotion-code.ts';
import { invoice } from '../resources/invoice.ts';
import { madeChange, planChange, planChangePreview } from '../resources/plan-change.ts';
import { subscription } from '../resources/subscription.ts';

const read = projectAccess('subscriptions:read');
const write = projectAccess('subscriptions:write');
const SUBSCRIPTION = `${PROJECT_PATH}/subscriptions/:subscriptionId` as const;

export const PROMOTION_CODE_PROBLEMS = ['promotion_code_not_found', ...REDEMPTION_REFUSALS] as const;

/** What can be wrong with a change. */
export const CHANGE_PROBLEMS = [
  'subscription_not_found',
  'price_not_found',
  ...PROMOTION_CODE_PROBLEMS,
  'subscription_has_several_items',
  'no_change',
  'price_inactive',
  'product_inactive',
  'price_type_mismatch',
  'currency_mismatch',
  'interval_mismatch',
  'subscription_ended',
  'subscription_incomplete',
  'subscription_paused',
  'subscription_past_due',
  'subscription_set_to_cancel',
  'subscription_has_schedule',
  'preview_expired',
  'processor_not_connected',
  'processor_error',
] as const;

export const planChangeOperations = declareOperations('subscriptions', {
  previewPlanChange: {
    route: `POST ${SUBSCRIPTION}/change/preview`,
    access: read,
    summary: 'Preview what a change of plan costs; it changes nothing',
    body: planChange,
    response: z.object({ preview: planChangePreview }),
    problems: CHANGE_PROBLEMS,
    example: { body: { priceId: PriceId.example, quantity: 8 } },
  },
  changePlan: {
    route: `POST ${SUBSCRIPTION}/change`,
    access: write,
    summary: 'Change the plan or the quantity, now or at the end of the period',
    body: planChange,
    otherStatus: 202,
    response: z.object({
      change: madeChange,
      invoice: invoice
        .nullable()
        .describe('That of the change: paid when it applied, open while it is pending; null when there is none.'),
      subscription,
    }),
    problems: [...CHANGE_PROBLEMS, 'amount_changed', 'payment_failed'],
    example: {
      body: {
        priceId: PriceId.example,
        quantity: 8,
        prorationDate: '2026-03-02T09:30:00.000Z',
        expectedAmountDue: 2113,
      },
    },
  },
  dropPlanChange: {
    route: `DELETE ${SUBSCRIPTION}/change`,
    access: write,
    summary: 'Take back a change that is pending, else the one that is scheduled',
    response: z.object({ subscription }),
    problems: ['subscription_not_found', 'change_not_found', 'processor_not_connected', 'processor_error'],
  },
  setSubscriptionDiscount: {
    route: `PUT ${SUBSCRIPTION}/discount`,
    access: write,
    summary: 'Set the promotion code of a subscription, for its future invoices; null removes all discounts',
    body: discountSet,
    response: z.object({ subscription }),
    problems: [
      'subscription_not_found',
      ...PROMOTION_CODE_PROBLEMS,
      'subscription_ended',
      'subscription_has_schedule',
      'processor_not_connected',
      'processor_error',
    ],
  },
});
