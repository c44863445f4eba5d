import { expect } from 'vitest';
import type { HttpResponse } from './http-client.ts';

/** Expects a response to say which limit refused it, and when that ends. */
export const expectRateLimited = (response: HttpResponse, windowSeconds = 60) => {
  expect(response).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  const seconds = Number(response.headers.get('retry-after'));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(windowSeconds);
  expect(response.headers.get('x-ratelimit-remaining')).toBe('0');
  expect(response.headers.get('x-ratelimit-reset')).toBe(String(seconds));
};

export const statusesOf = (responses: readonly HttpResponse[]) => responses.map(({ status }) => status);
export const countOf = (responses: readonly HttpResponse[], status: number) =>
  responses.filter(response => response.status === status).length;

/** Calls `send` so many times, one after the other. */
export async function repeat(times: number, send: () => Promise<HttpResponse>): Promise<HttpResponse[]> {
  const responses: HttpResponse[] = [];
  for (let index = 0; index < times; index += 1) responses.push(await send());
  return responses;
}
