import { expect, it } from 'vitest';
import { openRequestSampling } from './request-sampling.ts';

const traceparent = (flags: string) => `00-${'a'.repeat(32)}-${'b'.repeat(16)}-${flags}`;
const requestWith = (headers: Record<string, string>) => ({ headers });

it('traces a request from within as its sender says, and none that names no trace', () => {
  const { isTraced } = openRequestSampling(() => true, { isPublic: false });
  expect(isTraced(requestWith({ traceparent: traceparent('01') }))).toBe(true);
  expect(isTraced(requestWith({ traceparent: traceparent('00') }))).toBe(false);
  expect(isTraced(requestWith({ traceparent: 'garbage' }))).toBe(false);
  expect(isTraced(requestWith({}))).toBe(false);
});

it('traces a request from outside while the limit allows it, whatever the sender says', () => {
  let left = 1;
  const { isTraced } = openRequestSampling(() => left-- > 0, { isPublic: true });
  expect(isTraced(requestWith({ traceparent: traceparent('00') }))).toBe(true);
  expect(isTraced(requestWith({ traceparent: traceparent('01') }))).toBe(false);
});

it('counts the span of a traced request once', () => {
  let asked = 0;
  const count = () => {
    asked += 1;
    return asked <= 2;
  };
  const { isTraced, mayBegin } = openRequestSampling(count, { isPublic: true });
  expect([isTraced(requestWith({})), mayBegin(), asked]).toEqual([true, true, 1]);
  expect([mayBegin(), mayBegin(), asked]).toEqual([true, false, 3]);
});
