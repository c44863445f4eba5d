/** Whether a processor key is one for real money. */
export function isLive(key: string): boolean {
  return /^(sk|rk|pk)_live_/.test(key);
}
