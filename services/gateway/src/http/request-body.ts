import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { invalid, Problem, unavailable } from '@billing/contracts/problem';
import { isFormType, isJsonType } from '@billing/service/json-type';
import type { GatewayResponse } from './request-context.ts';

/** The largest accepted body, in bytes. */
const BODY_LIMIT = 1_048_576;

/** What a body may be; `any` checks no content type. */
export type BodyType = 'json' | 'form' | 'any';

const isOfType: Readonly<Record<BodyType, (type: string | undefined) => boolean>> = {
  json: isJsonType,
  form: isFormType,
  any: () => true,
};

/** Whether a request has a body, and whether its size is known in advance. */
export type Framing = 'none' | 'sized' | 'chunked';

/**
 * Checks a body's headers before any of it is read.
 * @throws Problem 413 for a size over the limit; 415 for a content encoding or another content type; 400 for a transfer
 *   encoding other than chunked
 */
export function checkBodyHeaders({ headers }: IncomingMessage, type: BodyType): Framing {
  const framing = framingOf(headers);
  if (framing === 'none') return framing;
  if (Number(headers['content-length'] ?? 0) > BODY_LIMIT) throw tooLarge();
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw unsupported(type);
  if (!isOfType[type](headers['content-type'])) throw unsupported(type);
  return framing;
}

/**
 * Reads a whole body. Its bytes are held in the budget until the response has ended.
 * @throws Problem 413 as soon as it exceeds the limit; 503 when the budget is used up, before anything is read if the size
 *   is known; 400 when the connection ends before the body does
 */
export function readBody(request: Request): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const budget = holderOf(request);
  if (!budget.fits(Number(request.headers['content-length'] ?? 0))) throw overBudget();
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = (problem: Problem): void => {
    chunks.length = 0;
    size = Infinity;
    reject(problem);
  };
  // After a rejection the rest is read and discarded, so that a caller who is still sending gets the response.
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size === Infinity) return;
    if (size > BODY_LIMIT) stop(tooLarge());
    else if (budget.hold(chunk.length)) chunks.push(chunk);
    else stop(overBudget());
  });
  request.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
  request.once('error', () => reject(invalid([{ path: '', message: 'The body is incomplete.' }])));
  return promise;
}

/** Holds bytes for a request until its response has ended. */
function holderOf(request: Request) {
  const response = request.res as GatewayResponse; // Express sets it, and the first middleware has filled its locals
  const { bodyBudget, addressGroup: owner } = response.locals;
  let held = 0;
  response.once('close', () => {
    bodyBudget.release(owner, held);
    held = Infinity;
  });
  return {
    fits: (bytes: number) => bodyBudget.fits(owner, bytes),
    hold(bytes: number): boolean {
      if (held === Infinity || !bodyBudget.hold(owner, bytes)) return false;
      held += bytes;
      return true;
    },
  };
}

/**
 * Reads the bytes of a body without parsing them; returns undefined when there is none.
 * @throws Problem 400 for text that is not UTF-8, 413, 415
 */
export async function readBytes(request: Request, type: BodyType): Promise<Buffer | undefined> {
  if (checkBodyHeaders(request, type) === 'none') return undefined;
  const bytes = await readBody(request);
  if (!isUtf8(bytes)) throw invalid([{ path: '', message: 'The body is not UTF-8.' }]);
  return bytes.length > 0 ? bytes : undefined;
}

/**
 * Reads a JSON body; returns undefined when there is none.
 * @throws Problem 400, 413, 415
 */
export async function readJson(request: Request): Promise<unknown> {
  const bytes = await readBytes(request, 'json');
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw invalid([{ path: '', message: 'The body is not valid JSON.' }]);
  }
}

function framingOf(headers: IncomingMessage['headers']): Framing {
  const transfer = headers['transfer-encoding'];
  if (transfer !== undefined) {
    if (transfer.toLowerCase() !== 'chunked')
      throw invalid([{ path: '', message: 'Send the body whole or chunked, in no other transfer encoding.' }]);
    return 'chunked';
  }
  return Number(headers['content-length'] ?? 0) > 0 ? 'sized' : 'none';
}

const overBudget = () => unavailable('Too many bodies are in flight at the moment.', 1);
const tooLarge = () => new Problem('payload_too_large', 'payload_too_large', 'The body is larger than 1 MiB.');
const unsupported = (type: BodyType) =>
  new Problem(
    'unsupported_media_type',
    'unsupported_media_type',
    `Send the body as ${type === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'}, in UTF-8 and not encoded.`,
  );
