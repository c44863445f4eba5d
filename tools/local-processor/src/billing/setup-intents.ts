import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newId } from '../domain/ids.ts';
import { nulls } from '../objects/nulls.ts';
import type { CheckoutPlan, CheckoutSession, Customer, PaymentMethod, SetupIntent } from '../objects/stored.ts';

/** Completes the setup of a session with a card, and emits its event. */
export function completeSetup(
  unit: UnitOfWork,
  plan: CheckoutPlan,
  customer: Customer | null,
  card: PaymentMethod,
): SetupIntent {
  const intent = existingSetup(unit, plan) ?? createSetupIntent(unit, customer?.id ?? null);
  const changes = { status: 'succeeded', payment_method: card.id, last_setup_error: null } as const;
  return unit.change('setup_intent', intent, { ...changes, customer: customer?.id ?? null }, 'setup_intent.succeeded');
}

/** Creates a setup intent that requires a payment method, and emits its event. */
export function createSetupIntent(
  unit: UnitOfWork,
  customer: string | null,
  given: { description: string | null; metadata: Record<string, string> } = { description: null, metadata: {} },
): SetupIntent {
  const id = newId('seti_1');
  const intent: SetupIntent = {
    id,
    object: 'setup_intent',
    ...nulls('allowed_payment_method_types application automatic_payment_methods cancellation_reason'),
    ...nulls('customer_account excluded_payment_method_types flow_directions last_setup_error latest_attempt'),
    ...nulls('mandate next_action on_behalf_of payment_method payment_method_configuration_details'),
    ...nulls('single_use_mandate'),
    client_secret: `${id}_secret_${newId('')}`,
    created: unit.now,
    customer,
    description: given.description,
    livemode: unit.livemode,
    metadata: given.metadata,
    payment_method_options: { card: { mandate_options: null, network: null, request_three_d_secure: 'automatic' } },
    payment_method_types: ['card'],
    status: 'requires_payment_method',
    usage: 'off_session',
  };
  return unit.create('setup_intent', intent, 'setup_intent.created');
}

/** Declines the setup of a session. Returns the intent's id. */
export function declineSetup(
  unit: UnitOfWork,
  session: CheckoutSession,
  plan: CheckoutPlan,
  card: PaymentMethod,
): string {
  const current = { ...plan, setupIntent: plan.setupIntent ?? session.setup_intent };
  const intent = existingSetup(unit, current) ?? createSetupIntent(unit, session.customer);
  const last_setup_error = {
    code: 'card_declined',
    decline_code: 'generic_decline',
    message: 'Your card was declined.',
    payment_method: card,
    type: 'card_error',
  } as const;
  return unit.change('setup_intent', intent, { last_setup_error }, 'setup_intent.setup_failed').id;
}

function existingSetup(unit: UnitOfWork, plan: CheckoutPlan): SetupIntent | null {
  return plan.setupIntent === null ? null : (unit.tables.setup_intent.get(plan.setupIntent) ?? null);
}
