/** The reason why a process cannot start: one sentence for the operator, with the cause and what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
