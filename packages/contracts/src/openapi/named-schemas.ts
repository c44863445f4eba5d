import { errorBody } from '../problem.ts';
import { pagination } from '../pagination.ts';
import {
  analytics,
  analyticsDay,
  analyticsHistory,
  analyticsSubscription,
  revenueMovements,
} from '../resources/analytics.ts';
import { apiKey, apiKeyCreate, apiKeyRotate, teamApiKey } from '../resources/api-key.ts';
import { auditChange, auditEntry } from '../resources/audit-entry.ts';
import { checkoutCreate, checkoutSession } from '../resources/checkout.ts';
import { deadLetter, deadLetterWithData } from '../resources/dead-letter.ts';
import { customer, customerCreate, customerUpdate } from '../resources/customer.ts';
import { invoice } from '../resources/invoice.ts';
import { livePortalSession, portalSession, portalSessionCreate } from '../resources/portal-session.ts';
import { payment } from '../resources/payment.ts';
import { price, priceCreate, priceUpdate } from '../resources/price.ts';
import { product, productCreate, productUpdate } from '../resources/product.ts';
import {
  appliedReferral,
  referral,
  referralApply,
  referralCode,
  referralCodeCreate,
  referralConfig,
  referralConfigUpdate,
  referralCredit,
  referralOfCode,
} from '../resources/referral.ts';
import { pauseCollection, subscription, subscriptionItem, subscriptionUpdate } from '../resources/subscription.ts';
import {
  invitation,
  invitationCreate,
  issuedInvitation,
  member,
  project,
  projectCreate,
  projectUpdate,
  team,
  teamCreate,
} from '../resources/team.ts';
import { named, type NamedSchema } from './named-schema.ts';
import { processorSchemas } from './processor-schemas.ts';

const METADATA = 'Your own key-value pairs: at most 46 keys of 1 to 40 characters.';
const CURRENCY = 'ISO 4217, lower case, for example `usd`.';
const AMOUNT = 'In the currency’s smallest unit: 2999 is 29.99 USD.';
const SHOWN_AMOUNT = {
  unitAmount: `${AMOUNT} Null for a tiered or metered price, and for an amount with fractions of that unit.`,
  billingScheme: 'Present when `unitAmount` is null.',
  usageType: 'Present when `unitAmount` is null: `licensed` is billed by quantity, `metered` by usage.',
  unitAmountDecimal:
    'Present when `unitAmount` is null: the amount of a unit, exactly, as decimal text; null for a tiered price.',
};
const REPLACES = 'Replaces the previous value as a whole.';
const ESTIMATED =
  'True where the day is before the project’s first sync: what happened then is known only from what is there now.';
const MOVEMENTS = {
  newMrr: 'Revenue of subscriptions that never had revenue before.',
  expansionMrr: 'Increases of subscriptions that had revenue just before.',
  reactivatedMrr:
    'Revenue of subscriptions that had none just before but had some earlier, for example when a past due one is paid.',
  contractionMrr: 'Decreases of subscriptions that have not ended, including past due and paused ones.',
  churnedMrr: 'Revenue of subscriptions that ended.',
  netMrr: 'All movements together; negative when revenue fell.',
};
const SHOWN_ONCE = 'The secret is returned only once, when the key is created or rotated.';

/** Every named schema of the OpenAPI document; each is written there once. */
export const namedSchemas: readonly NamedSchema[] = [
  named('Error', errorBody, 'The body of every error response.'),
  named('Pagination', pagination, 'The position of a page in the whole list.', {
    limit: 'The page size, at most 100.',
    total: 'The number of items in the whole list.',
    hasMore: 'Whether there are more items after this page.',
  }),

  named('Team', team, 'A tenant: its members, its projects and one account at the payment processor.'),
  named('TeamCreate', teamCreate, 'A team to create.'),
  named('Member', member, 'A user who belongs to a team.'),
  named('Invitation', invitation, 'An open invitation to a team.', {
    invitedBy: 'The id of the owner who invited.',
  }),
  named('IssuedInvitation', issuedInvitation, 'A new invitation with its link.', {
    url: 'The secret link, which you send to the person. It is returned only once, and works for seven days.',
  }),
  named('InvitationCreate', invitationCreate, 'Whom to invite, and as what.'),
  named('Project', project, 'A project of a team; customers, products and prices belong to it.', {
    baseCurrency: `The currency of its revenue metrics. ${CURRENCY}`,
  }),
  named('ProjectCreate', projectCreate, 'A project to create.', { baseCurrency: CURRENCY }),
  named('ProjectUpdate', projectUpdate, 'The fields of a project to change.', { baseCurrency: CURRENCY }),
  named('ApiKey', apiKey, `An API key of a project. ${SHOWN_ONCE}`, {
    scopes: 'What the key allows. Each scope grants exactly its own name, so `write` does not include `read`.',
    last4: 'The last four characters of the secret.',
    expiresAt: 'Null when the key does not expire.',
    lastUsedAt: 'Accurate to the minute; null when the key was never used.',
  }),
  named('TeamApiKey', teamApiKey, 'An API key of one of the team’s projects, without its secret.'),
  named('ApiKeyCreate', apiKeyCreate, 'An API key to create.', {
    expiresAt: 'The key does not expire when this is absent.',
  }),
  named('ApiKeyRotate', apiKeyRotate, 'Options for rotating an API key.', {
    overlapMs: 'How long the old secret stays valid, in milliseconds, at most seven days.',
  }),

  named('AuditEntry', auditEntry, 'A write by API, portal or operator’s command, or a refused attempt.', {
    action: 'The id of the operation in this document, or the name of an operator’s command.',
    projectId: 'Null when it is about the whole team.',
    target: 'Null when a refused request would have created it.',
    address: 'The address that the request came from; null for commands.',
    outcome:
      'Refused requests are listed for members, invitations, API keys and the connection to the payment processor.',
    changes: 'Empty when nothing changed.',
  }),
  named('AuditChange', auditChange, 'A field that a write changed.', {
    from: 'Null when there was none. Of secrets and personal data both values are null.',
    to: 'Long texts are cut off after 200 characters.',
  }),

  named(
    'DeadLetter',
    deadLetter,
    'An event that a service failed to handle for good; retry it once the cause is fixed.',
    {
      consumer: 'The consumer of the service that failed.',
      type: 'The type of the domain event.',
      eventId: 'The id of the domain event.',
      projectId: 'Null when the event is about the whole team.',
      status: '`retrying` while it is handled once more.',
      error: 'The reason of the last failure.',
      occurredAt: 'When the event happened.',
    },
  ),
  named('DeadLetterWithData', deadLetterWithData, 'A dead letter with its event.', {
    consumer: 'The consumer of the service that failed.',
    type: 'The type of the domain event.',
    eventId: 'The id of the domain event.',
    projectId: 'Null when the event is about the whole team.',
    status: '`retrying` while it is handled once more.',
    error: 'The reason of the last failure.',
    occurredAt: 'When the event happened.',
    data: 'The data of the domain event.',
  }),

  ...processorSchemas,

  named('Product', product, 'A product for sale.', {
    processorProductId: 'The id of the product at the payment processor.',
  }),
  named('ProductCreate', productCreate, 'A product to create.', { metadata: METADATA }),
  named('ProductUpdate', productUpdate, 'The fields of a product to change.', {
    description: 'An empty text removes the description.',
    metadata: `${METADATA} ${REPLACES}`,
  }),
  named('Price', price, 'A price of a product. Amount, currency and interval never change.', {
    ...SHOWN_AMOUNT,
    currency: CURRENCY,
    interval: 'Absent for a one-time price.',
    intervalCount: 'Number of intervals between billings.',
    processorPriceId: 'The id of the price at the payment processor.',
  }),
  named('PriceCreate', priceCreate, 'A price to create.', {
    unitAmount: AMOUNT,
    currency: CURRENCY,
    interval: 'Required for a recurring price; not allowed for a one-time price.',
    intervalCount: 'Number of intervals between billings, by default 1; the period is at most three years.',
    metadata: METADATA,
  }),
  named('PriceUpdate', priceUpdate, 'The fields of a price to change; the others never change.', {
    metadata: `${METADATA} ${REPLACES}`,
  }),
  named('Customer', customer, 'A customer of a project.', {
    email: 'Null for a customer without an e-mail, as only a sync finds them at the payment processor.',
    externalId: 'Your own id of the customer; absent when it has none.',
    processorCustomerId: 'The id of the customer at the payment processor.',
  }),
  named('CustomerCreate', customerCreate, 'A customer to create.', {
    email: 'Unique in the project, ignoring case.',
    externalId: 'Your own id of the customer, unique in the project.',
    metadata: METADATA,
  }),
  named('CustomerUpdate', customerUpdate, 'The fields of a customer to change.', {
    email: 'Unique in the project, ignoring case.',
    name: 'Null clears it.',
    externalId: 'Your own id of the customer, unique in the project; null clears it.',
    metadata: `${METADATA} ${REPLACES}`,
  }),
  named('Subscription', subscription, 'A recurring purchase of a customer, created by a completed checkout.', {
    priceId: 'Absent when the price was created outside of this service.',
    quantity: 'Of the first item, as `priceId`.',
    cancelAtPeriodEnd: 'Whether it is set to end, at the end of the current period or at a set time.',
    cancelAt: 'When it ends by itself.',
    canceledAt: 'When the cancellation was requested.',
    startedAt: 'When it started at the payment processor.',
    endedAt: 'When it ended.',
    pauseCollection: 'Null unless payments are paused; the status stays what it is.',
  }),
  named('SubscriptionItem', subscriptionItem, 'A price that a subscription bills, and how many of it.', {
    ...SHOWN_AMOUNT,
    priceId: 'Null when the price was created outside of this service.',
    processorPriceId: 'The id of the price at the payment processor.',
    currency: 'The subscription’s, which may differ from the default currency of the price.',
    interval: 'Null for a one-time price.',
  }),
  named('PauseCollection', pauseCollection, 'A pause of payments.', {
    behavior: 'What happens to invoices meanwhile: `keep_as_draft`, `mark_uncollectible` or `void`.',
    resumesAt: 'Null until someone resumes it.',
  }),
  named('SubscriptionUpdate', subscriptionUpdate, 'A scheduled cancellation, or its removal.', {
    cancelAtPeriodEnd: 'True cancels at the end of the period; false resumes.',
  }),
  named('CheckoutCreate', checkoutCreate, 'A hosted checkout to create.', {
    quantity: 'Ignored for a metered price, which is billed by usage.',
    successUrl:
      'Redirect target after success; the processor replaces `{CHECKOUT_SESSION_ID}` with the id of the session.',
    cancelUrl: 'Redirect target when the customer cancels.',
    mode: '`subscription` for a recurring price, `payment` for a one-time price.',
    trialDays: 'Free days before the first payment; only in `subscription` mode.',
    trialOncePerCustomer: 'Whether to reject a trial for a customer who had one of the same product before.',
    oncePerCustomer: 'Whether to reject a customer who has a subscription to the same product that has not ended.',
    allowPromotionCodes: 'Whether the customer can enter promotion codes.',
    automaticTax: 'Whether the payment processor calculates the tax; the customer’s address is updated.',
    taxIdCollection: 'Whether the customer can enter tax ids; the customer’s name and address are updated.',
    clientReferenceId: 'Your own reference, which the payment processor stores with the session.',
    locale: 'The language of the page; that of the browser when it is `auto` or absent.',
    metadata: `${METADATA} Passed to the payment processor.`,
  }),
  named('CheckoutSession', checkoutSession, 'A hosted checkout page of the payment processor.', {
    sessionId: 'The processor’s id of the session.',
    url: 'Redirect the customer here.',
  }),
  named('Invoice', invoice, 'An invoice of the payment processor; amounts are in the currency’s smallest unit.', {
    subscriptionId: 'Null when the invoice belongs to no subscription.',
    hostedInvoiceUrl: 'The invoice’s page at the payment processor.',
    invoicePdfUrl: 'The invoice as PDF, served by the payment processor.',
  }),
  named('Payment', payment, 'A payment at the payment processor; amounts are in the currency’s smallest unit.', {
    processorPaymentIntentId: 'Null for a charge without a payment intent.',
    processorChargeId: 'The charge that succeeded, or else the newest one; null until one is known.',
    customerId: 'Null when the payment belongs to no customer.',
    invoiceId: 'Null unless the events of the payment processor name the invoice.',
    amountRefunded: 'The part of the amount that was refunded, or is being refunded.',
    status: 'A payment whose dispute was won is `succeeded` again.',
    failureCode: 'Why the last attempt failed; null for a payment that has succeeded.',
  }),

  named('PortalSessionCreate', portalSessionCreate, 'A portal link to create.', {
    ttlMs: 'How long the link is valid, in milliseconds, at most thirty days.',
    returnUrl: 'The target of the page’s link back to your product.',
  }),
  named('PortalSession', portalSession, 'A link with which one customer sees and manages their billing.', {
    token: 'Returned only once. Anyone who holds it has access.',
    portalUrl: 'Redirect the customer here.',
  }),
  named('LivePortalSession', livePortalSession, 'A valid portal link, without its token.', {
    returnUrl: 'The target of the page’s link back to your product; null when there is none.',
  }),
  named('Analytics', analytics, 'The metrics of a project.', {
    mrr: 'Monthly recurring revenue in the smallest unit of the project’s base currency, active and trialing subscriptions at face value.',
    mrrTrialing: 'The part of `mrr` that is in a trial.',
    mrrPaused: 'The part of `mrr` whose payments are paused.',
    mrrExcluded:
      'How many active and trialing subscriptions `mrr` leaves out, wholly or in part, each counted once: those in another currency, else with tiered prices, else with metered ones.',
    mrrByCurrency: 'Monthly recurring revenue per currency; currencies are never added up.',
    churnRate:
      'Percentage of the subscriptions active or trialing at the start of the window that ended within it; two decimals.',
    trialConversion:
      'Trials that ended in the window: as planned, or earlier with their subscription. `converted` are those after which the subscription was active, and `rate` is their percentage; two decimals.',
    customerGrowth: 'Number of customers at the end of each UTC day of the window.',
    asOf: 'When the newest event in these metrics happened; null before the first.',
  }),
  named(
    'RevenueMovements',
    revenueMovements,
    'How revenue changed, in the smallest unit of the project’s base currency. Each amount is rounded once.',
    MOVEMENTS,
  ),
  named(
    'AnalyticsDay',
    analyticsDay,
    'Metrics at the end of a UTC day, or of `step` days. Revenue is in the smallest unit of the project’s base currency. Each amount is rounded once, so a day’s revenue may differ by up to three units from the previous day plus the movements.',
    {
      from: 'The first day of the entry: `date` itself unless an entry has more days.',
      date: 'The last day of the entry.',
      mrr: 'Monthly recurring revenue at the end of the day, active and trialing subscriptions at face value.',
      customerCount: 'Customers at the end of the day.',
      ...MOVEMENTS,
      estimated: ESTIMATED,
    },
  ),
  named('AnalyticsSubscription', analyticsSubscription, 'A subscription behind a metric.', {
    currency: CURRENCY,
    amount:
      'What it is worth a month at face value, in the currency’s smallest unit, whatever its status; for a movement what it added or took away on the days asked for. Decimal text, exact where the decimals end, else rounded up at the 18th.',
    reason: 'Why `mrr` leaves it out; null for the other metrics.',
    converted: 'Whether its trial converted; null for other metrics than `trialConversion`.',
  }),
  named('AnalyticsHistory', analyticsHistory, 'The daily metrics of a project.', {
    currency: 'The project’s base currency.',
    history: 'Every UTC day of the window, or every `step` days of it, oldest first; the last entry ends today so far.',
    totals: 'What changed revenue in the whole window.',
    asOf: 'When the newest event in these metrics happened; null before the first.',
  }),

  named(
    'ReferralConfig',
    referralConfig,
    'The referral program of a project; amounts are in the smallest unit of the currency.',
  ),
  named('ReferralConfigUpdate', referralConfigUpdate, 'The new configuration of the referral program.', {
    referrerCreditAmount: AMOUNT,
    refereeCreditAmount: AMOUNT,
    currency: CURRENCY,
  }),
  named('ReferralCode', referralCode, 'A code with which a customer refers others.'),
  named('ReferralCodeCreate', referralCodeCreate, 'A referral code to create.', { customerId: 'The referrer.' }),
  named('ReferralApply', referralApply, 'A code and the new customer who uses it.', {
    refereeCustomerId: 'The new customer.',
  }),
  named('Referral', referral, 'Who referred whom, and with which code.', {
    convertedAt: 'Null while the referral is pending.',
  }),
  named('AppliedReferral', appliedReferral, 'A referral. It converts when the new customer subscribes.'),
  named('ReferralOfCode', referralOfCode, 'A referral made with the code.', {
    convertedAt: 'Null while the referral is pending.',
  }),
  named(
    'ReferralCredit',
    referralCredit,
    'The credit that one side of a conversion earned, in the smallest unit of the currency.',
    {
      processorTransactionId: 'The processor’s id of the credit; null until it is credited.',
    },
  ),
];
