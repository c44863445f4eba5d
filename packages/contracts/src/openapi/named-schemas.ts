import type { z } from 'zod';
import { errorBody } from '../problem.ts';
import { pagination } from '../pagination.ts';
import { analytics, analyticsDay, analyticsHistory } from '../resources/analytics.ts';
import { apiKey, apiKeyCreate, apiKeyRotate } from '../resources/api-key.ts';
import { checkoutCreate, checkoutSession } from '../resources/checkout.ts';
import { customer, customerCreate, customerUpdate } from '../resources/customer.ts';
import { invoice } from '../resources/invoice.ts';
import { livePortalSession, portalSession, portalSessionCreate } from '../resources/portal-session.ts';
import { price, priceCreate, priceUpdate } from '../resources/price.ts';
import { processorAccount, processorConnect } from '../resources/processor-account.ts';
import { product, productCreate, productUpdate } from '../resources/product.ts';
import {
  appliedReferral,
  referralApply,
  referralCode,
  referralCodeCreate,
  referralConfig,
  referralConfigUpdate,
  referralCredit,
  referralOfCode,
} from '../resources/referral.ts';
import { subscription, subscriptionUpdate } from '../resources/subscription.ts';
import { member, memberAdd, project, projectCreate, projectUpdate, team, teamCreate } from '../resources/team.ts';
import { webhookEvent } from '../resources/webhook-event.ts';

/** A schema that has a name in the document, with words for people about it and its fields. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly description: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Names a schema; `fields` may only tell of fields it has. */
const named = <Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  description: string,
  fields: { readonly [Field in keyof z.input<Schema> & string]?: string } = {},
): NamedSchema => ({ name, schema, description, fields: fields as Readonly<Record<string, string>> }); // none is undefined

const METADATA = 'Your own key-value pairs: at most 46 keys of 1 to 40 characters.';
const CURRENCY = 'ISO 4217, lower case, for example `usd`.';
const AMOUNT = 'In the currency’s smallest unit: 2999 is 29.99 USD.';
const REPLACES = 'Replaces what there was.';
const SHOWN_ONCE = 'The secret itself is answered once, beside this, when the key is issued.';

/** Everything the document names, so that it stands there once. */
export const namedSchemas: readonly NamedSchema[] = [
  named('Error', errorBody, 'The body of every answer that is no success.'),
  named('Pagination', pagination, 'Where a page stands among all there are.', {
    limit: 'How many were asked for, at most 100.',
    total: 'How many there are altogether.',
    hasMore: 'Whether more follow.',
  }),

  named('Team', team, 'Who uses the service: people, their projects and one account at the payment processor.'),
  named('TeamCreate', teamCreate, 'A team to be.'),
  named('Member', member, 'A user who belongs to a team.'),
  named('MemberAdd', memberAdd, 'Somebody who has signed up, to become a member.'),
  named('Project', project, 'What customers, products and prices belong to.', {
    baseCurrency: `What its revenue is told in. ${CURRENCY}`,
  }),
  named('ProjectCreate', projectCreate, 'A project to be.', { baseCurrency: CURRENCY }),
  named('ProjectUpdate', projectUpdate, 'What to change of a project.', { baseCurrency: CURRENCY }),
  named('ApiKey', apiKey, `An API key of a project. ${SHOWN_ONCE}`, {
    scopes: 'What it allows; each grants exactly its own name, so `write` does not include `read`.',
    last4: 'The last four characters of the secret.',
    expiresAt: 'Null: never.',
    lastUsedAt: 'To the minute; null: never.',
  }),
  named('ApiKeyCreate', apiKeyCreate, 'An API key to be.', { expiresAt: 'Left out: never.' }),
  named('ApiKeyRotate', apiKeyRotate, 'How to rotate an API key.', {
    overlapMs: 'For how many milliseconds the old secret stays valid, up to seven days.',
  }),

  named('ProcessorConnect', processorConnect, 'Credentials of the payment processor; they are never answered again.', {
    webhookSecret: 'Of the webhook endpoint; the one before is accepted for 24 hours more.',
  }),
  named('ProcessorAccount', processorAccount, 'A team’s connection to the payment processor.'),
  named('WebhookEvent', webhookEvent, 'The record of an event that the payment processor posted.', {
    projectId: 'Null until it is clear which project it concerns.',
    objectId: 'The processor’s id of what the event is about.',
    routedBy: 'What led to the project.',
    error: 'Why it failed.',
    recovered: 'Whether its webhook was missing, and it was taken from the payment processor’s list of events.',
  }),

  named('Product', product, 'What is sold.', { processorProductId: 'The product at the payment processor.' }),
  named('ProductCreate', productCreate, 'A product to be.', { metadata: METADATA }),
  named('ProductUpdate', productUpdate, 'What to change of a product.', {
    description: 'An empty one takes it away.',
    metadata: `${METADATA} ${REPLACES}`,
  }),
  named('Price', price, 'What a product costs. Amount, currency and interval never change.', {
    unitAmount: AMOUNT,
    currency: CURRENCY,
    interval: 'Absent for a one-time price.',
    intervalCount: 'Intervals between billings.',
    processorPriceId: 'The price at the payment processor.',
  }),
  named('PriceCreate', priceCreate, 'A price to be.', {
    unitAmount: AMOUNT,
    currency: CURRENCY,
    interval: 'Needed for a recurring price; a one-time price has none.',
    intervalCount: 'Intervals between billings, 1 unless told; together no longer than three years.',
    metadata: METADATA,
  }),
  named('PriceUpdate', priceUpdate, 'What to change of a price; nothing else of it can change.', {
    metadata: `${METADATA} ${REPLACES}`,
  }),
  named('Customer', customer, 'Who pays.', { processorCustomerId: 'The customer at the payment processor.' }),
  named('CustomerCreate', customerCreate, 'A customer to be.', {
    email: 'Unique in the project, whatever its case.',
    metadata: METADATA,
  }),
  named('CustomerUpdate', customerUpdate, 'What to change of a customer.', {
    email: 'Unique in the project, whatever its case.',
    metadata: `${METADATA} ${REPLACES}`,
  }),
  named('Subscription', subscription, 'What a customer pays for again and again; a completed checkout makes it.', {
    priceId: 'Absent when the price was made outside of this service.',
    cancelAtPeriodEnd: 'Whether it ends with its current period.',
  }),
  named('SubscriptionUpdate', subscriptionUpdate, 'Whether a subscription shall end with its period.', {
    cancelAtPeriodEnd: 'True cancels at the end of the period, false resumes.',
  }),
  named('CheckoutCreate', checkoutCreate, 'What a customer is to buy on a page of the payment processor.', {
    successUrl: 'Where to go after success; `{CHECKOUT_SESSION_ID}` in it becomes the id of the session.',
    cancelUrl: 'Where to go back to.',
    mode: 'A recurring price needs `subscription`, a one-time price `payment`.',
    trialDays: 'Free days before the first payment; in `subscription` mode only.',
    metadata: `${METADATA} Passed to the payment processor.`,
  }),
  named('CheckoutSession', checkoutSession, 'A page of the payment processor on which to pay.', {
    sessionId: 'The processor’s id of the session.',
    url: 'Where to send the customer.',
  }),
  named('Invoice', invoice, 'An invoice as the payment processor keeps it; amounts in the currency’s smallest unit.', {
    subscriptionId: 'Null for what is no subscription’s.',
    hostedInvoiceUrl: 'The page of the invoice at the payment processor.',
    invoicePdfUrl: 'The invoice to download, served by the payment processor.',
  }),

  named('PortalSessionCreate', portalSessionCreate, 'A link to the portal to be.', {
    ttlMs: 'For how many milliseconds the link works, up to thirty days.',
    returnUrl: 'Where the page’s way back leads.',
  }),
  named('PortalSession', portalSession, 'A link with which one customer sees and changes their billing.', {
    token: 'Told this once; whoever holds it is let in.',
    portalUrl: 'Where to send the customer.',
  }),
  named('LivePortalSession', livePortalSession, 'A link to the portal that works now, without its token.', {
    returnUrl: 'Where the page’s way back leads; null for nowhere.',
  }),
  named('Analytics', analytics, 'The figures of a project.', {
    mrr: 'Monthly recurring revenue in the smallest unit of the project’s base currency, active and trialing subscriptions at face value.',
    mrrTrialing: 'The part of it that is in a trial.',
    mrrByCurrency: 'The same by currency; currencies are never added up.',
    churnRate: 'Per cent of the subscriptions active at the start of the window that ended inside of it; two decimals.',
    customerGrowth: 'Customers at the end of UTC days, from the first to the last of the window.',
    asOf: 'When the newest fact in these figures happened; null before the first.',
  }),
  named(
    'AnalyticsDay',
    analyticsDay,
    'The figures of a UTC day, as they stood at its end. Revenue is in the smallest unit of the project’s base currency; each amount is exact and rounded once, so that a day’s revenue may differ by up to three units from the day before and what moved it.',
    {
      mrr: 'Monthly recurring revenue at the end of the day, active and trialing subscriptions at face value.',
      customerCount: 'Customers at the end of the day.',
      newMrr: 'What subscriptions brought that had brought nothing before.',
      expansionMrr: 'What others rose by, also when they were paid again.',
      contractionMrr: 'What subscriptions fell by that have not ended, also when they were past due or paused.',
      churnedMrr: 'What subscriptions had brought that ended.',
    },
  ),
  named('AnalyticsHistory', analyticsHistory, 'The figures of a project day by day.', {
    currency: 'The project’s base currency.',
    history: 'Every UTC day of the window, the oldest first; the last is today so far.',
    asOf: 'When the newest fact in these figures happened; null before the first.',
  }),

  named(
    'ReferralConfig',
    referralConfig,
    'The referral program of a project; amounts in the smallest unit of the currency.',
  ),
  named('ReferralConfigUpdate', referralConfigUpdate, 'The referral program as it shall be.', {
    referrerCreditAmount: AMOUNT,
    refereeCreditAmount: AMOUNT,
    currency: CURRENCY,
  }),
  named('ReferralCode', referralCode, 'A code that a customer gives to others.'),
  named('ReferralCodeCreate', referralCodeCreate, 'A referral code to be.', { customerId: 'Whose code it is.' }),
  named('ReferralApply', referralApply, 'A code and who came by it.', { refereeCustomerId: 'The new customer.' }),
  named('AppliedReferral', appliedReferral, 'A referral, which converts when the new customer subscribes.'),
  named('ReferralOfCode', referralOfCode, 'A referral in the history of its code.', {
    convertedAt: 'Null while it is pending.',
  }),
  named(
    'ReferralCredit',
    referralCredit,
    'What one side of a conversion earned, in the smallest unit of the currency.',
    {
      processorTransactionId: 'The processor’s id of the credit, once it is there.',
    },
  ),
];
