import { metrics } from '@opentelemetry/api';
import { unavailable } from '@billing/contracts/problem';
import { seal, unseal, type SealedFor } from '@billing/processor/credentials';
import type { KeyRingSource } from '@billing/processor/key-ring';
import type { Logger } from 'pino';

/** Seals the teams' secrets, and opens them in this service only. */
export type SealedSecrets = ReturnType<typeof openSealedSecrets>;

/** Opens the store of master keys. A secret that does not open is logged as an error and counted. */
export function openSealedSecrets({ keyRing, logger }: { readonly keyRing: KeyRingSource; readonly logger: Logger }) {
  const unopened = metrics.getMeter('billing.webhooks').createCounter('billing.secrets.unopened', {
    description: 'Sealed secrets that did not open.',
  });
  const tryOpen = (boundTo: SealedFor, sealed: string): { readonly secret?: string; readonly cause?: unknown } => {
    try {
      return { secret: unseal(keyRing(), boundTo, sealed) };
    } catch (cause) {
      unopened.add(1, { kind: boundTo.kind.replace(/-whe_.*/, '') });
      logger.error(
        { err: cause, ...boundTo },
        'sealed secret does not open, it was changed or its master key is missing',
      );
      return { cause };
    }
  };
  return {
    seal: (boundTo: SealedFor, secret: string): string => seal(keyRing(), boundTo, secret),
    /** @throws Problem 503 when it does not open: it was changed, belongs elsewhere, or its master key is missing */
    open(boundTo: SealedFor, sealed: string): string {
      const { secret, cause } = tryOpen(boundTo, sealed);
      if (secret !== undefined) return secret;
      throw unavailable('The stored secrets of this team cannot be opened at the moment.', 60, { cause });
    },
    /** Returns undefined when it does not open, for work that replaces or removes the secret. */
    openIfPossible: (boundTo: SealedFor, sealed: string): string | undefined => tryOpen(boundTo, sealed).secret,
  };
}
