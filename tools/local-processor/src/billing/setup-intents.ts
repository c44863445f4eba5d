import type { UnitOfWork } from '../api/unit-of-work.ts';
import { newSetupIntent } from '../objects/setup-intent.ts';
import type { CheckoutPlan } from '../objects/checkout-plan.ts';
import type { CheckoutSession, Customer, PaymentMethod, SetupIntent } from '../objects/stored.ts';

/** Completes the setup of a session with a card, and emits its event. */
export function completeSetup(
  unit: UnitOfWork,
  plan: CheckoutPlan,
  customer: Customer | null,
  card: PaymentMethod,
): SetupIntent {
  const intent = existingSetup(unit, plan) ?? createSetupIntent(unit, customer?.id ?? null);
  const changes = { status: 'succeeded', payment_method: card.id, last_setup_error: null } as const;
  const completed = unit.update('setup_intent', intent, { ...changes, customer: customer?.id ?? null });
  unit.emit('setup_intent.succeeded', completed);
  return completed;
}

/** Creates a setup intent and emits its event. */
export function createSetupIntent(
  unit: UnitOfWork,
  customer: string | null,
  given: { description: string | null; metadata: Record<string, string> } = { description: null, metadata: {} },
): SetupIntent {
  const intent = unit.create('setup_intent', newSetupIntent(unit, { customer, ...given }));
  unit.emit('setup_intent.created', intent);
  return intent;
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
  const failed = unit.update('setup_intent', intent, {
    last_setup_error: {
      code: 'card_declined',
      decline_code: 'generic_decline',
      message: 'Your card was declined.',
      payment_method: card,
      type: 'card_error',
    },
  });
  unit.emit('setup_intent.setup_failed', failed);
  return failed.id;
}

function existingSetup(unit: UnitOfWork, plan: CheckoutPlan): SetupIntent | null {
  return plan.setupIntent === null ? null : (unit.tables.setup_intent.get(plan.setupIntent) ?? null);
}
