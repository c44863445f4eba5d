import { randomBytes } from 'node:crypto';
import { metrics } from '@opentelemetry/api';
import type { TeamId } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import type { SigningSecret, SigningSecrets } from '#accounts/signing-secrets';
import { readEvent } from './incoming-event.rules.ts';
import { findSignature, isTimely } from './signature.rules.ts';
import type { ContinueTrace } from './continue-trace.ts';
import { storageFull } from '../storage-quota.ts';
import type { ReceivedEvent, Stored } from './store.ts';

export interface ReceiveParts {
  readonly secrets: Pick<SigningSecrets, 'of' | 'reload' | 'forget'>;
  /** Resolves once the event is committed. */
  readonly store: (received: ReceivedEvent) => Promise<Stored>;
  readonly continueTrace: ContinueTrace;
  /** Called when no secret of the team has signed the body, or it is too old. */
  readonly onRefused: (teamId: string) => void;
  readonly now: () => Date;
}

/**
 * Receives an event: nothing is parsed or written before one of the team's secrets is found to have signed the bytes. An
 * unknown team costs the same work as a known one, with a secret that nobody has. What a copy still took for valid, though the
 * team was disconnected a moment ago, is refused as well.
 * @throws Problem 400 `invalid_signature` whatever was wrong with the signature or team; 400 `invalid_event`; 429 for a full team
 */
export function receiveEvent({ secrets, store, continueTrace, onRefused, now }: ReceiveParts) {
  const recordAge = signatureAgeMetric();
  const unknownTeam = [{ id: '', accountId: '', secret: randomBytes(32).toString('base64url') }];
  return async (teamId: string, body: Buffer, signature: string | undefined) => {
    const find = (known: readonly SigningSecret[]) =>
      findSignature(known.length > 0 ? known : unknownTeam, body, signature, now());
    // A secret that was connected a moment ago may not be in this copy's memory yet.
    const signed = find(await secrets.of(teamId)) ?? find(await secrets.reload(teamId));
    if (signed) recordAge(signed.ageSeconds);
    if (!signed || !isTimely(signed.ageSeconds)) {
      onRefused(teamId);
      throw invalidSignature();
    }
    const event = readEvent(body, now());
    // Only an existing team has a secret that signs.
    const team = teamId as TeamId;
    const { id: secretId, accountId } = signed.by;
    const from = { accountId, secretId };
    const stored = await continueTrace(team, event, trace => store({ teamId: team, event, trace, from }));
    if (stored === 'full') throw storageFull();
    if (stored === 'refused') {
      secrets.forget(teamId);
      throw invalidSignature();
    }
    return stored === 'new' ? { received: true as const } : { received: true as const, duplicate: true as const };
  };
}

const invalidSignature = (): Problem =>
  new Problem('validation', 'invalid_signature', 'The signature does not fit this body and team, or is too old.');

/**
 * Records the age of signatures that one of the team's secrets made, refused ones too: when this machine's clock goes
 * wrong, they shift before the first is refused. A histogram takes no negative values, hence the attribute `direction`.
 */
function signatureAgeMetric(): (ageSeconds: number) => void {
  const ages = metrics.getMeter('@billing/webhooks').createHistogram('billing.webhook.signature.age', {
    unit: 's',
    description: "Distance of correctly signed webhooks' timestamps from this clock",
    advice: { explicitBucketBoundaries: [1, 2, 5, 10, 30, 60, 120, 300, 600, 3_600] },
  });
  return ageSeconds =>
    ages.record(Math.abs(ageSeconds), {
      direction: ageSeconds < 0 ? 'future' : 'past',
      accepted: isTimely(ageSeconds),
    });
}
