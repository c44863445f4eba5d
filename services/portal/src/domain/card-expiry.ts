/** Whether a card can no longer pay: it is good until the last day of its month, in UTC. */
export function hasExpired({ expMonth, expYear }: { expMonth: number; expYear: number }, now: Date): boolean {
  return now.getTime() >= Date.UTC(expYear, expMonth, 1);
}
