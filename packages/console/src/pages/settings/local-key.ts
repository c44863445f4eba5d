/**
 * Returns the secret key by which a team connects to the local processor, where each key has an account of its own. It
 * follows from the team, so that every browser at any time comes to the same account.
 */
export const localKeyOf = (teamId: string): string => `sk_test_${teamId.replaceAll(/[^A-Za-z0-9]/g, '')}`;

/** What is known of an account whose records the team has. */
interface KnownAccount {
  readonly secretKeyLast4: string;
}

/** Returns the key to begin with: none where the records are of an account that was connected by another one. */
export function suggestLocalKey(teamId: string, known: KnownAccount | null): string {
  const key = localKeyOf(teamId);
  return known === null || key.endsWith(known.secretKeyLast4) ? key : '';
}
