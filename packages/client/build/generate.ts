import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dunningOperations } from '@billing/contracts/operations/dunning';
import { gatewayOperations } from '@billing/contracts/operations/gateway';
import { checkoutCreate, checkoutSession } from '@billing/contracts/resources/checkout';
import { subscriptionsOperations } from '@billing/contracts/operations/subscriptions';
import { PROBLEM_CODES } from '@billing/contracts/problem-codes';
import { analyticsCustomer } from '@billing/contracts/resources/analytics';
import { cancellationReason, cancellationSaid } from '@billing/contracts/resources/cancellation';
import { customerState, featureCheck } from '@billing/contracts/resources/customer-state';
import { dunningCase, dunningTotals } from '@billing/contracts/resources/dunning';
import { event } from '@billing/contracts/resources/event';
import { EVENT_DATA } from '@billing/contracts/resources/event-data';
import { featureValue } from '@billing/contracts/resources/feature';
import { endedInvoice, subscriptionCancel } from '@billing/contracts/resources/subscription-cancel';
import { METHOD_CLASSES } from './method-table.ts';
import { printClass, printQuery } from './print-methods.ts';
import { comment, TypePrinter } from './print-types.ts';

const SOURCE = join(import.meta.dirname, '../src');
const MADE = '// Made of the declared operations by `npm run generate`.\n';

/** What `own-methods.ts` and `events.ts` name of the contracts. */
function declareOwnTypes(types: TypePrinter): void {
  const { cancelSubscription } = subscriptionsOperations;
  const responses = {
    AcceptedInvitation: gatewayOperations.acceptInvitation.response,
    AnalyticsCustomer: analyticsCustomer,
    CanceledSubscription: cancelSubscription.response.shape.subscription,
    CancellationReason: cancellationReason,
    CheckoutSession: checkoutSession,
    CustomerState: customerState,
    DunningCase: dunningCase,
    DunningTotals: dunningTotals,
    EndedInvoice: endedInvoice,
    EventCredit: EVENT_DATA.referral_credit,
    EventHead: event.omit({ type: true, object: true, data: true, previousAttributes: true, truncated: true }),
    EventInvoice: EVENT_DATA.invoice,
    EventState: EVENT_DATA.customer_state,
    FeatureCheck: featureCheck,
    FeatureValue: featureValue,
  };
  for (const [name, schema] of Object.entries(responses)) types.declareResponse(name, schema);
  types.declareRequest('CheckoutCreate', checkoutCreate);
  types.declareRequest('CancellationSaid', cancellationSaid);
  types.declareRequest('SubscriptionCancel', subscriptionCancel);
  printQuery('listDunningCases', dunningOperations.listDunningCases.query, types);
}

/** Writes the client's methods and types, as the operations are declared. */
async function generate(): Promise<void> {
  const types = new TypePrinter();
  const classes = Object.entries(METHOD_CLASSES).map(([name, declared]) => printClass(name, declared, types));
  declareOwnTypes(types);
  const codes = Object.keys(PROBLEM_CODES).map(code => `'${code}'`);
  await writeFile(
    join(SOURCE, 'declared-methods.ts'),
    `${MADE}import type { CallOptions, WriteOptions } from './options.ts';
import * as own from './own-methods.ts';
import type { CursorPage, List, PageOptions } from './pages.ts';
import { segment, type Requests } from './requests.ts';
import type * as wire from './wire.ts';

${classes.join('\n')}`,
  );
  await writeFile(
    join(SOURCE, 'declared-types.ts'),
    `${MADE}import type { BillingEvent } from './events.ts';
import type { PageOptions } from './pages.ts';

${comment('The codes of the service’s errors.')}export type ErrorCode = ${codes.join(' | ')};
${types.declarations.join('')}`,
  );
}

await generate();
