import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import type { Principal } from '@billing/service/identity-token';

/** What the gateway knows of a request beside what the request says. */
interface Exchange {
  requestId: string;
  /** Writes the request's id with every line. */
  logger: Logger;
  /** Who asks, once that is known. */
  principal?: Principal;
}

/** A response that carries its exchange in `locals`. */
export type Reply = Response<unknown, Exchange & Record<string, unknown>>;

/** A step of a request; a rejection goes to the one handler of errors. */
export type Step = (request: Request, reply: Reply, next: NextFunction) => void | Promise<void>;
