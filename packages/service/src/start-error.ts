/** Why a process cannot start, told in one sentence for whoever operates it: the name of the thing and what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
