/** Returns the SQLSTATE or socket error code of an error. */
export function sqlState(err: unknown): string | undefined {
  if (!(err instanceof Error) || !('code' in err)) return undefined;
  return typeof err.code === 'string' ? err.code : undefined;
}
