import type { z } from 'zod';
import type { operations } from '../operations/index.ts';
import { exampleIds } from './examples/shared.ts';

type Declared = (typeof operations)[keyof typeof operations];
/** The field names of an object schema; an empty object has the input type `Record<string, …>`, hence the check. */
type NamesIn<Schema> = Schema extends z.ZodType
  ? string extends keyof z.input<Schema>
    ? never
    : keyof z.input<Schema> & string
  : never;
type PathParameter = Declared extends infer One
  ? One extends { params: infer Params }
    ? NamesIn<Params>
    : never
  : never;
type QueryParameter = Declared extends infer One
  ? One extends { query: infer Query }
    ? NamesIn<Query>
    : never
  : never;

interface ParameterNote {
  readonly description: string;
  readonly example: string;
}

/** Descriptions of path parameters. A parameter that is missing here does not compile. */
export const PATH_PARAMETERS: Readonly<Record<PathParameter, ParameterNote>> = {
  teamId: { description: 'The team.', example: exampleIds.team },
  projectId: { description: 'The project; it belongs to the team.', example: exampleIds.project },
  invitationId: { description: 'The invitation: its id, not its token.', example: exampleIds.invitation },
  invitationToken: {
    description: 'The token at the end of an invitation’s link, which is a secret.',
    example: exampleIds.invitationToken,
  },
  userId: { description: 'The id of the member.', example: exampleIds.user },
  keyId: { description: 'The API key: its id, not its secret.', example: exampleIds.apiKey },
  productId: { description: 'The product.', example: exampleIds.product },
  priceId: { description: 'The price.', example: exampleIds.price },
  customerId: { description: 'The customer.', example: exampleIds.customer },
  syncId: { description: 'The sync.', example: exampleIds.sync },
  subscriptionId: { description: 'The subscription.', example: exampleIds.subscription },
  code: {
    description: 'The referral code: 8 letters and digits, case-sensitive.',
    example: exampleIds.referralCode,
  },
  creditId: { description: 'The credit.', example: exampleIds.credit },
  eventId: { description: 'The payment processor’s id of the event.', example: exampleIds.webhookEvent },
  deadLetterId: { description: 'The dead letter.', example: exampleIds.deadLetter },
  sessionId: { description: 'The portal session: its id, not its token.', example: exampleIds.portalSession },
  token: {
    description: 'The token of a portal session. It is the only authentication, so treat it as a secret.',
    example: exampleIds.portalToken,
  },
};

/** Descriptions of query parameters; `tab` is used by the portal page. */
export const QUERY_PARAMETERS: Readonly<Record<QueryParameter | 'tab', string>> = {
  tab: 'The tab to show first.',
  limit: 'Maximum number of items to return; values above 100 count as 100.',
  offset: 'Number of items to skip.',
  activeOnly: 'Whether to return only active items: true by default, false when `status` is given.',
  outcome: 'Only findings with this outcome.',
  metric: 'The metric whose subscriptions are listed.',
  growthDays: 'Length of the window for churn, trials, growth and movements, in days.',
  days: 'Number of UTC days, including today.',
  step: 'Number of days in one entry; the last entry ends today, and the first one has what is left.',
  from: 'The first UTC day of a movement of revenue, `YYYY-MM-DD`. By default the last `growthDays` days are listed.',
  to: 'The last UTC day of a movement of revenue, `YYYY-MM-DD`; today includes everything dated later. With `mrr` the day at whose end it is listed, now by default.',
  productId: 'Only prices of this product.',
  priceId: 'Only subscriptions whose first item has this price.',
  customerId: 'Only items of this customer.',
  refereeCustomerId: 'Only of this customer, who was referred.',
  referrerCustomerId: 'Only of this customer, who referred others.',
  subscriptionId: 'Only items of this subscription.',
  status: 'Only items with this status.',
  keepKeys: 'Whether the API keys of the member stay valid.',
  purge: 'Whether to delete everything that mirrors the account, in all projects of the team.',
  projectId: 'Only items of this project; of the webhook events of a team only `none`: those without one.',
  action: 'Only entries of this action, for example `connectProcessor`.',
  actor: 'Only entries of the actor with this id.',
  email: 'Only the customer with this email address, in any case.',
  externalId: 'Only the customer with this external id.',
  ids: 'Only customers with one of these ids, up to 100 of them with commas between them.',
  search: 'Only customers whose email, name or external id contains this text, in any case.',
  type: 'Only events of this type, for example `invoice.paid`; of dead letters `processor.invoice.paid.v1`.',
  service: 'Only items of this service.',
  consumer: 'Only items of this consumer, for example `subscriptions-invoices`.',
};
