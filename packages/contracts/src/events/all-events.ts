import type { EventType } from '../event.ts';
import type { ServiceName } from '../operation.ts';
import { PROCESSOR_EVENT_OWNERS, processorEvent, ProcessorEventCompleted, isHandled } from '../processor-events.ts';
import { PriceCreated, PriceDeleted, PriceUpdated, ProductCreated, ProductDeleted, ProductUpdated } from './catalog.ts';
import { CustomerCreated, CustomerDeleted, CustomerUpdated } from './customers.ts';
import { ApiKeyRevoked, ProjectCreated, ProjectUpdated } from './gateway.ts';
import { PortalSessionCreated } from './portal.ts';
import {
  ReferralCodeCreated,
  ReferralCodeDeactivated,
  ReferralConverted,
  ReferralCreated,
  ReferralCredited,
} from './referrals.ts';
import {
  InvoiceUpdated,
  PaymentRecorded,
  SubscriptionCanceled,
  SubscriptionCreated,
  SubscriptionUpdated,
} from './subscriptions.ts';
import { ProcessorAccountChanged, WebhookEventChanged } from './webhooks.ts';

interface DescribedFact {
  readonly fact: EventType;
  /** Who says it; several for what every owner of a processor event says. */
  readonly saidBy: readonly ServiceName[];
  readonly tells: string;
}

const said = (by: ServiceName, fact: EventType, tells: string): DescribedFact => ({ fact, saidBy: [by], tells });

const fromProcessor = Object.entries(PROCESSOR_EVENT_OWNERS).flatMap(([type, owner]) =>
  isHandled(type)
    ? [said('webhooks', processorEvent(type), `The processor said \`${type}\`; ${owner} acts on it`)]
    : [],
);

/** Every fact that travels on the bus, with who says it. */
export const allFacts: readonly DescribedFact[] = [
  said('gateway', ProjectCreated, 'A project was created'),
  said('gateway', ProjectUpdated, 'A project was renamed or changed its base currency'),
  said('gateway', ApiKeyRevoked, 'An API key was revoked'),
  said('webhooks', ProcessorAccountChanged, 'A team connected the processor or changed its credentials'),
  said('webhooks', WebhookEventChanged, 'The records of webhook events changed their status or project'),
  {
    fact: ProcessorEventCompleted,
    saidBy: ['catalog', 'customers', 'subscriptions'],
    tells: 'The owner of processor events is done with them',
  },
  said('catalog', ProductCreated, 'A product was created'),
  said('catalog', ProductUpdated, 'A product changed'),
  said('catalog', ProductDeleted, 'A product was removed'),
  said('catalog', PriceCreated, 'A price was created'),
  said('catalog', PriceUpdated, 'A price changed'),
  said('catalog', PriceDeleted, 'A price was removed'),
  said('customers', CustomerCreated, 'A customer was created'),
  said('customers', CustomerUpdated, 'A customer changed'),
  said('customers', CustomerDeleted, 'A customer was removed'),
  said('subscriptions', SubscriptionCreated, 'A subscription is known for the first time'),
  said('subscriptions', SubscriptionUpdated, 'A subscription changed'),
  said('subscriptions', SubscriptionCanceled, 'A subscription ended'),
  said('subscriptions', InvoiceUpdated, 'An invoice is known or changed'),
  said('subscriptions', PaymentRecorded, 'A payment or charge succeeded or failed'),
  said('referrals', ReferralCodeCreated, 'A referral code was created'),
  said('referrals', ReferralCodeDeactivated, 'A referral code was deactivated'),
  said('referrals', ReferralCreated, 'A code was applied to a new customer'),
  said('referrals', ReferralConverted, 'A referred customer subscribed'),
  said('referrals', ReferralCredited, 'A credit reached a customer’s balance'),
  said('portal', PortalSessionCreated, 'A link to a customer’s portal was created'),
  ...fromProcessor,
];
