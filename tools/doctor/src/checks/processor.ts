import type { Finding } from '../finding.ts';

/** What is compared of a subscription: as text, to be shown. */
export interface ComparedSubscription {
  readonly id: string;
  readonly processorSubscriptionId: string;
  readonly ours: Readonly<Record<string, string>>;
  /** Null when the processor has no such subscription. */
  readonly processors: Readonly<Record<string, string>> | null;
}

/** Returns whether the processor says something else. */
export const differs = ({ ours, processors }: ComparedSubscription): boolean =>
  processors === null || Object.entries(processors).some(([field, value]) => ours[field] !== value);

/** Finds subscriptions that are otherwise at the processor than here. */
export function checkSample(compared: readonly ComparedSubscription[]): Finding[] {
  return compared.filter(differs).map(({ id: subject, processorSubscriptionId, ours, processors }) => {
    const fields = Object.entries(processors ?? {})
      .filter(([field, value]) => ours[field] !== value)
      .map(([field, value]) => `${field} is ${ours[field]}, there ${value}`);
    return {
      check: 'processor-differs',
      subject,
      problem: `${subject} differs from ${processorSubscriptionId} at the processor: ${fields.join('; ') || 'it does not exist there'}.`,
      action:
        'An event is missing or failed: look among the team’s webhook events, and replay it, or change it at the processor.',
    };
  });
}
