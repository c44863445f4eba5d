import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Request } from 'express';
import type { GatewayResponse } from './request-context.ts';

/** How files are compressed, the smallest first; browsers accept Brotli over TLS, and on their own machine. */
const ENCODINGS = {
  br: promisify<Buffer, Buffer>(brotliCompress),
  gzip: promisify<Buffer, Buffer>(gzip),
} as const;
type Encoding = keyof typeof ENCODINGS;
const PREFERRED = ['br', 'gzip'] as const satisfies readonly Encoding[];

/** A file that browsers load, in memory. */
export interface StaticFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Compresses it, once for each encoding; undefined when that saves nothing. */
  readonly compressed: ((encoding: Encoding) => Promise<Buffer>) | undefined;
  /** Names the content, however it is compressed. */
  readonly etag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const COMPRESSED = new Set(['.woff2']);
const FOREVER = 'public, max-age=31536000, immutable';
const etagOf = (bytes: Buffer): string => `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;

function compressOnce(bytes: Buffer): (encoding: Encoding) => Promise<Buffer> {
  const compressed: Partial<Record<Encoding, Promise<Buffer>>> = {};
  return encoding => (compressed[encoding] ??= ENCODINGS[encoding](bytes));
}

/** @throws Error when the file can't be read */
export async function readStaticFile(file: URL): Promise<StaticFile> {
  const bytes = await readFile(file);
  const extension = extname(file.pathname);
  const compressed = COMPRESSED.has(extension) ? undefined : compressOnce(bytes);
  return { type: TYPES[extension] ?? 'application/octet-stream', bytes, compressed, etag: etagOf(bytes) };
}

/** Makes a file of a text that is at hand. */
export function staticText(type: string, text: string): StaticFile {
  const bytes = Buffer.from(text);
  return { type, bytes, compressed: compressOnce(bytes), etag: etagOf(bytes) };
}

/** Sends a file, compressed to those who accept it. */
export async function sendStaticFile(
  request: Request,
  response: GatewayResponse,
  { type, bytes, compressed }: StaticFile,
): Promise<void> {
  response.type(type);
  if (compressed) response.vary('Accept-Encoding');
  const encoding = PREFERRED.find(one => request.acceptsEncodings(one) !== false);
  if (!compressed || !encoding) return void response.send(bytes);
  response.set('Content-Encoding', encoding).send(await compressed(encoding));
}

/** Sends a file whose content may change; browsers keep it, and ask each time whether it has. */
export function sendCheckedFile(request: Request, response: GatewayResponse, file: StaticFile): Promise<void> {
  return sendStaticFile(request, response.set({ 'Cache-Control': 'public, no-cache', ETag: file.etag }), file);
}

/** Sends a file whose address changes with its content, so that browsers keep it. */
export function sendImmutableFile(request: Request, response: GatewayResponse, file: StaticFile): Promise<void> {
  return sendStaticFile(request, response.set('Cache-Control', FOREVER), file);
}
