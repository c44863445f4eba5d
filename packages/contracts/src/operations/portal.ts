import { z } from 'zod';
import { declareOperations, success } from '../declare-operations.ts';
import { CustomerId } from '../ids.ts';
import { PROJECT_PATH, projectAccess } from '../operation.ts';
import { pageQuery, pagination } from '../pagination.ts';
import { portalBillingDetails, portalBillingDetailsUpdate } from '../resources/billing-details.ts';
import { madeChange, planChangePreview } from '../resources/plan-change.ts';
import {
  portalConfig,
  portalConfigPreview,
  portalConfigUpdate,
  portalPause,
  portalPlanChange,
  portalResume,
} from '../resources/portal-config.ts';
import {
  PORTAL_LANGUAGES,
  livePortalSession,
  portalSession,
  portalSessionCreate,
} from '../resources/portal-session.ts';
import { timestamp } from '../timestamp.ts';
import { subscription, subscriptionUpdate } from '../resources/subscription.ts';
import { CHANGE_PROBLEMS } from './plan-changes.ts';

const PORTAL_SUBSCRIPTION = '/api/portal/:token/subscriptions/:subscriptionId' as const;

const PORTAL_BILLING_DETAILS = '/api/portal/:token/billing-details' as const;
const BILLING_DETAILS_PROBLEMS = [
  'portal_link_expired',
  'billing_details_not_offered',
  'customer_not_found',
  'processor_not_connected',
  'processor_error',
] as const;

const PAUSE_PROBLEMS = [
  'portal_link_expired',
  'subscription_not_found',
  'pause_not_offered',
  'subscription_ended',
  'processor_not_connected',
  'processor_error',
] as const;

/** A subscription as its customer sees it, without the team's metadata. */
const portalSubscription = subscription.omit({ metadata: true, updatedAt: true });

export const portalOperations = declareOperations('portal', {
  createPortalSession: {
    route: `POST ${PROJECT_PATH}/portal`,
    access: projectAccess('subscriptions:write'),
    summary: 'Create a link to the portal of a customer',
    body: portalSessionCreate,
    status: 201,
    response: portalSession,
    rateLimit: 'session-creation',
    problems: ['customer_not_found', 'quota_exceeded'],
  },
  listPortalSessions: {
    route: `GET ${PROJECT_PATH}/portal/sessions`,
    access: projectAccess('subscriptions:read'),
    summary: 'List valid portal links, newest first, without their tokens',
    query: z.strictObject({
      customerId: CustomerId.schema.optional().describe('Only links of this customer.'),
      ...pageQuery,
    }),
    response: z.object({ sessions: z.array(livePortalSession), pagination }),
    example: { query: { customerId: CustomerId.example } },
  },
  revokePortalSession: {
    route: `DELETE ${PROJECT_PATH}/portal/sessions/:sessionId`,
    access: projectAccess('subscriptions:write'),
    summary: 'Revoke a portal link at once; an expired or revoked link stays so',
    response: success,
    problems: ['portal_session_not_found'],
  },
  getPortalConfig: {
    route: `GET ${PROJECT_PATH}/portal-config`,
    access: projectAccess('subscriptions:read'),
    summary: 'Get what the portal offers, and how it looks',
    response: z.object({ portalConfig }),
  },
  setPortalConfig: {
    route: `PUT ${PROJECT_PATH}/portal-config`,
    access: projectAccess('subscriptions:write'),
    summary: 'Set what the portal offers, and how it looks; what is left out is off',
    body: portalConfigUpdate,
    response: z.object({ portalConfig }),
    problems: ['price_not_found', 'price_type_mismatch', 'promotion_code_not_found'],
  },
  acceptSaveOffer: {
    route: `POST ${PORTAL_SUBSCRIPTION}/save-offer`,
    access: { kind: 'portal-token' },
    summary: 'Accept the discount that is offered once to a customer who is about to cancel',
    response: z.object({ subscription: portalSubscription }),
    problems: [
      'portal_link_expired',
      'subscription_not_found',
      'save_offer_not_available',
      'processor_not_connected',
      'processor_error',
    ],
  },
  updatePortalSubscription: {
    route: `PATCH ${PORTAL_SUBSCRIPTION}`,
    access: { kind: 'portal-token' },
    summary: 'Cancel at the end of the period, or resume, as the customer',
    body: subscriptionUpdate,
    response: z.object({ subscription: portalSubscription }),
    problems: [
      'portal_link_expired',
      'subscription_not_found',
      'subscription_ended',
      'subscription_has_schedule',
      'processor_not_connected',
      'processor_error',
    ],
    example: { response: { subscription: { cancelAtPeriodEnd: true } } },
  },
  previewPortalConfig: {
    route: `POST ${PROJECT_PATH}/portal-config/preview`,
    access: projectAccess('subscriptions:read'),
    summary: 'See the page of a sample customer as it would be; changes nothing',
    body: portalConfigPreview,
    response: z.object({
      url: z.string().meta({
        description: 'The path of the page on this server, for a frame. Nothing on it works.',
        example: '/portal/preview?draft=eyJ0ZWFtSWQi…',
      }),
      expiresAt: timestamp.describe('Until when it can be opened.'),
    }),
  },
  previewPortalPlanChange: {
    route: `POST ${PORTAL_SUBSCRIPTION}/change/preview`,
    access: { kind: 'portal-token' },
    summary: 'Preview what a change of plan costs, as the customer; it changes nothing',
    body: portalPlanChange,
    response: z.object({ preview: planChangePreview }),
    problems: ['portal_link_expired', 'price_not_offered', ...CHANGE_PROBLEMS],
  },
  changePortalPlan: {
    route: `POST ${PORTAL_SUBSCRIPTION}/change`,
    access: { kind: 'portal-token' },
    summary: 'Change the plan or the quantity to one that the project offers, as the customer',
    body: portalPlanChange,
    otherStatus: 202,
    response: z.object({ change: madeChange, subscription: portalSubscription }),
    problems: ['portal_link_expired', 'price_not_offered', ...CHANGE_PROBLEMS, 'amount_changed', 'payment_failed'],
  },
  dropPortalPlanChange: {
    route: `DELETE ${PORTAL_SUBSCRIPTION}/change`,
    access: { kind: 'portal-token' },
    summary: 'Take back a change that is pending, else the one that is scheduled, as the customer',
    response: z.object({ subscription: portalSubscription }),
    problems: [
      'portal_link_expired',
      'subscription_not_found',
      'change_not_found',
      'processor_not_connected',
      'processor_error',
    ],
  },
  pausePortalSubscription: {
    route: `POST ${PORTAL_SUBSCRIPTION}/pause`,
    access: { kind: 'portal-token' },
    summary: 'Pause the payments of a subscription that is active, as the customer',
    body: portalPause.nullish(),
    response: z.object({ subscription: portalSubscription }),
    problems: [...PAUSE_PROBLEMS, 'already_paused'],
    example: {
      body: { resumesAt: '2026-05-02T09:30:00.000Z' },
      response: { subscription: { paused: { invoices: 'void', resumesAt: '2026-05-02T09:30:00.000Z' } } },
    },
  },
  resumePortalSubscription: {
    route: `POST ${PORTAL_SUBSCRIPTION}/resume`,
    access: { kind: 'portal-token' },
    summary: 'Resume a paused subscription, as the customer; one with the status `paused` begins a new period',
    body: portalResume.nullish(),
    response: z.object({ subscription: portalSubscription }),
    problems: [...PAUSE_PROBLEMS, 'not_paused', 'amount_changed', 'payment_failed'],
    example: { body: { expectedAmountDue: 0 } },
  },
  getPortalBillingDetails: {
    route: `GET ${PORTAL_BILLING_DETAILS}`,
    access: { kind: 'portal-token' },
    summary: 'Get who is billed, as the customer',
    response: z.object({ billingDetails: portalBillingDetails }),
    problems: BILLING_DETAILS_PROBLEMS,
  },
  updatePortalBillingDetails: {
    route: `PATCH ${PORTAL_BILLING_DETAILS}`,
    access: { kind: 'portal-token' },
    summary: 'Change who is billed, as the customer; after a 422 all is as it was',
    body: portalBillingDetailsUpdate,
    response: z.object({ billingDetails: portalBillingDetails }),
    problems: [...BILLING_DETAILS_PROBLEMS, 'tax_id_invalid', 'tax_location_invalid', 'invoice_fields_full'],
  },
  createPortalSetupSession: {
    route: 'POST /api/portal/:token/setup-intent',
    access: { kind: 'portal-token' },
    summary: 'Create a hosted page on which the customer changes the payment method',
    query: z.strictObject({
      lang: z
        .enum(PORTAL_LANGUAGES)
        .optional()
        .describe('The language of the page, and of the portal afterwards, instead of the link’s or the browser’s.'),
    }),
    response: z.object({
      url: z.string().meta({
        description: 'Redirect the customer here.',
        example: 'https://checkout.stripe.com/c/pay/cs_test_example',
      }),
    }),
    problems: ['portal_link_expired', 'customer_not_found', 'processor_not_connected', 'processor_error'],
  },
});
