import type { z } from 'zod';
import type { ServiceName } from './operation.ts';

/** A call that one service may make to another over the bus, with the shapes of request and reply. */
export interface Rpc<Request extends z.ZodType = z.ZodType, Reply extends z.ZodType = z.ZodType> {
  /** The service that serves it. */
  readonly owner: ServiceName;
  /** `<owner>.<call>.v1` */
  readonly name: string;
  readonly request: Request;
  readonly reply: Reply;
}

/** Declares a call that `owner` serves. */
export function defineRpc<Request extends z.ZodType, Reply extends z.ZodType>(
  owner: ServiceName,
  name: string,
  request: Request,
  reply: Reply,
): Rpc<Request, Reply> {
  return { owner, name: `${owner}.${name}.v1`, request, reply };
}
