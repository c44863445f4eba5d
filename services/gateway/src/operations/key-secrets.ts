import { conflict } from '@billing/contracts/problem';
import { createSecret, KEY_MODES, prefixOf, secretOfOperation, type KeyMode } from '#domain/api-key-secret.ts';

/** Makes the secrets of API keys. */
export interface KeySecrets {
  /** A new secret; for an operation that may be repeated always the same, so that it need not be kept. */
  readonly issue: (operationKey: string | undefined) => string;
  /**
   * The secret an operation issued, for the key as it was shown then.
   * @throws Problem 409 `secret_not_repeatable` when the secret it is made from has changed since
   */
  readonly again: (operationKey: string, shown: ShownKey) => string;
}

interface ShownKey {
  readonly prefix: string;
  readonly last4: string;
}

/** Secrets of a mode; `secretKey` is 32 bytes, and makes those again that may be repeated. */
export function openKeySecrets(mode: KeyMode, secretKey: Buffer): KeySecrets {
  return {
    issue: operationKey =>
      operationKey === undefined ? createSecret(mode) : secretOfOperation(mode, secretKey, operationKey),
    again(operationKey, { prefix, last4 }) {
      const issuedIn = KEY_MODES.find(it => prefixOf(it) === prefix) ?? mode;
      const secret = secretOfOperation(issuedIn, secretKey, operationKey);
      // The end of a secret is a checksum of all of it.
      if (secret.endsWith(last4)) return secret;
      throw conflict('secret_not_repeatable', 'The secret of this key can no longer be told; rotate the key.');
    },
  };
}
