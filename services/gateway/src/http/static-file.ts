import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request } from 'express';
import type { GatewayResponse } from './request-context.ts';

/** A file that browsers load, in memory. */
export interface StaticFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Compresses it at the first call; undefined when that saves nothing. */
  readonly gzipped: (() => Promise<Buffer>) | undefined;
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
const compress = promisify<Buffer, Buffer>(gzip);
const etagOf = (bytes: Buffer): string => `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;

function compressOnce(bytes: Buffer): () => Promise<Buffer> {
  let compressed: Promise<Buffer> | undefined;
  return () => (compressed ??= compress(bytes));
}

/** @throws Error when the file can't be read */
export async function readStaticFile(file: URL): Promise<StaticFile> {
  const bytes = await readFile(file);
  const extension = extname(file.pathname);
  const gzipped = COMPRESSED.has(extension) ? undefined : compressOnce(bytes);
  return { type: TYPES[extension] ?? 'application/octet-stream', bytes, gzipped, etag: etagOf(bytes) };
}

/** Makes a file of a text that is at hand. */
export function staticText(type: string, text: string): StaticFile {
  const bytes = Buffer.from(text);
  return { type, bytes, gzipped: compressOnce(bytes), etag: etagOf(bytes) };
}

/** Sends a file, compressed to those who accept it. */
export async function sendStaticFile(
  request: Request,
  response: GatewayResponse,
  { type, bytes, gzipped }: StaticFile,
): Promise<void> {
  response.type(type);
  if (gzipped) response.vary('Accept-Encoding');
  if (!gzipped || request.acceptsEncodings('gzip') === false) return void response.send(bytes);
  const compressed = await gzipped();
  response.set('Content-Encoding', 'gzip').send(compressed);
}

/** Sends a file whose content may change; browsers keep it, and ask each time whether it has. */
export function sendCheckedFile(request: Request, response: GatewayResponse, file: StaticFile): Promise<void> {
  return sendStaticFile(request, response.set({ 'Cache-Control': 'public, no-cache', ETag: file.etag }), file);
}

/** Sends a file whose address changes with its content, so that browsers keep it. */
export function sendImmutableFile(request: Request, response: GatewayResponse, file: StaticFile): Promise<void> {
  return sendStaticFile(request, response.set('Cache-Control', FOREVER), file);
}
