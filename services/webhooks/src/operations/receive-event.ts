import { randomBytes } from 'node:crypto';
import type { TeamId } from '@billing/contracts/ids';
import { Problem } from '@billing/contracts/problem';
import { currentTrace } from '@billing/messaging/trace-carrier';
import { signatureAges } from '../signature-ages.ts';
import type { SigningSecrets } from '#accounts/signing-secrets.ts';
import { readEvent } from '#domain/incoming-event.ts';
import { ageOfSignature, isTimely } from '#domain/signature.ts';
import type { ReceivedEvent, Stored } from './store-events.ts';

interface ReceiveEventParts {
  readonly secrets: SigningSecrets;
  /** Resolves once the event is committed. */
  readonly store: (received: ReceivedEvent) => Promise<Stored>;
  readonly now: () => Date;
}

/**
 * Takes an event in: nothing is parsed or written before one of the team's secrets has proved to have signed the bytes.
 * An unknown team costs the same work as a known one, with a secret that nobody has.
 * @throws Problem 400 `invalid_signature` whatever was wrong with the signature or team; 400 `invalid_event`
 */
export function receiveEvent({ secrets, store, now }: ReceiveEventParts) {
  const recordAge = signatureAges();
  const nobodys = [randomBytes(32).toString('base64url')];
  return async (teamId: string, body: Buffer, signature: string | undefined) => {
    const ageBy = (known: readonly string[]) =>
      ageOfSignature(known.length > 0 ? known : nobodys, body, signature, now());
    // A secret that was connected a moment ago may not have come to this copy's memory.
    const ageSeconds = ageBy(await secrets.of(teamId)) ?? ageBy(await secrets.reload(teamId));
    if (ageSeconds === undefined) throw invalidSignature();
    recordAge(ageSeconds);
    if (!isTimely(ageSeconds)) throw invalidSignature();
    const event = readEvent(body);
    // Only a real team has a secret that signs.
    const stored = await store({ teamId: teamId as TeamId, event, trace: currentTrace(), recovered: false });
    return stored === 'new' ? { received: true as const } : { received: true as const, duplicate: true as const };
  };
}

function invalidSignature(): Problem {
  return new Problem(
    'validation',
    'invalid_signature',
    'The signature does not fit this body and team, or is too old.',
  );
}
